"""What is compared: outputs of any kind as forms, tables and numbers."""
