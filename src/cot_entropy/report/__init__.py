"""What a reader sees: tables, figures and the page that holds them."""
