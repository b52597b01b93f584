"""A person's standing directives, found in what they say, and whose words a turn's text is."""
