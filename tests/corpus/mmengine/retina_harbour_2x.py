# A detector for harbour cranes, 8 GPUs with 4 images each.
max_epochs = 24
base_lr = 2e-3

model = dict(
    type='RetinaNet',
    backbone=dict(type='ResNet', depth=50, frozen_stages=1),
    bbox_head=dict(type='RetinaHead', num_classes=7))

train_dataloader = dict(
    batch_size=4,
    num_workers=6,
    persistent_workers=True,
    sampler=dict(type='DefaultSampler', shuffle=True),
    dataset=dict(type='CocoDataset', ann_file='cranes/train.json'))
val_dataloader = dict(
    batch_size=1,
    num_workers=2,
    dataset=dict(type='CocoDataset', ann_file='cranes/val.json', test_mode=True))

train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=max_epochs, val_interval=2)
optim_wrapper = dict(
    type='AmpOptimWrapper',
    dtype='float16',
    loss_scale='dynamic',
    optimizer=dict(type='AdamW', lr=base_lr / 2, weight_decay=0.05),
    clip_grad=dict(max_norm=35, norm_type=2))
auto_scale_lr = dict(enable=False, base_batch_size=32)
env_cfg = dict(cudnn_benchmark=True)
