"""What is kept: the records of the pipeline, the tables, and one module per kind of thing that is read and written."""
