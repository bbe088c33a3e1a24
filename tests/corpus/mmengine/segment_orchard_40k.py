"""Rows of fruit trees from the air."""
crop_size = (512, 512)
iterations = 40_000

optimizer = dict(type='SGD', lr=0.01, momentum=0.9, weight_decay=5e-4)
optim_wrapper = dict(type='OptimWrapper', optimizer=optimizer, accumulative_counts=2)
train_cfg = dict(type='IterBasedTrainLoop', max_iters=iterations, val_interval=iterations // 10)

train_dataloader = dict(
    batch_size=2 * 4,
    num_workers=4,
    pin_memory=True,
    drop_last=True,
    sampler=dict(type='InfiniteSampler', shuffle=True),
    dataset=dict(type='OrchardDataset', pipeline=[dict(type='RandomCrop', crop_size=crop_size)]))
