"""Error rates and power of the registered rules, from simulated studies with known truth.

`calibrate` is what chose the deciding intervals of the plan; the report shows its tables.
"""

from cot_entropy.stats.calibration.run import calibrate

__all__ = ["calibrate"]
