"""`python -m cot_entropy.reference`."""

from cot_entropy.reference import write

write()
