"""What happens to the documents: one file per bridge, `fit`, the generator step, composition."""
