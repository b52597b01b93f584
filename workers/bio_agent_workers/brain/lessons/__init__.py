"""What acts teach: failures, what closed them, the lesson and its sentence, skills."""
