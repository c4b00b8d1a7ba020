"""One module per figure: numbers in, a `Figure` out."""
