"""Words of the model language that a `define` must not take as its name.

tests/tools/trace_model_test.py compares them with the operators gpulint knows.
"""

OPERATORS = set(
    "activation adaptive_average_pool adaptive_max_pool add attention average_pool batch_norm binary_cross_entropy "
    "cast concatenate constant contiguous conv copy cross_entropy custom divide dropout embedding expand experts "
    "flatten gather_rows group_norm identity inplace_batch_norm instance_norm layer_norm linear local_response_norm "
    "mask_fill matmul max_pool mean mean_squared_error multiply multiply_add normalize packed_linear pad parameter permute "
    "pixel_cross_entropy power recurrent reduce reshape resize_like rms_norm roi_align roll scale select slice "
    "softmax squeeze unsqueeze upsample windows".split()
)
CONTROLS = set(
    "repeat residual branches section block group as from when index body shortcut join dimension inplace keeps".split()
)
RESERVED = OPERATORS | CONTROLS
