"""What the estimators of the exploratory half are made of."""
