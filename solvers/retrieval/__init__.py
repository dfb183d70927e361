"""Indexes of a corpus of papers: which paper answers the question?"""
