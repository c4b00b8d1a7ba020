"""The registered hypotheses: estimands, evidence, decision rules and their rows."""
