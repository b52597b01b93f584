"""`bio-agent eval`: the product's own measuring of its rules and models, on files of examples."""
