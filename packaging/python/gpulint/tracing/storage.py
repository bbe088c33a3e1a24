"""Which memory a tensor lies in, on every PyTorch since 1.13."""


def untyped(tensor):
    """The storage of a tensor, in bytes; its name changed in 2.0."""
    return tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor._storage()


def storage_of(tensor):
    """The same number for every tensor that lies in the same memory."""
    return untyped(tensor)._cdata
