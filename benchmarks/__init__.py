"""What is asked: one folder per dataset."""
