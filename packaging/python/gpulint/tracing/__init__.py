"""Turns a PyTorch module into a gpulint model file: record, generalise, fold, write, check."""
