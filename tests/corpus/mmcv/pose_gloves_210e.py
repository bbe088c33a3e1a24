# Hands in work gloves; one node of four GPUs.
total_epochs = 210
checkpoint_config = dict(interval=10)
optimizer = dict(type='Adam', lr=5e-4)
optimizer_config = dict(grad_clip=None)
lr_config = dict(policy='step', warmup='linear', warmup_iters=500, warmup_ratio=0.001, step=[170, 200])
data = dict(
    samples_per_gpu=64,
    workers_per_gpu=2,
    train=dict(type='TopDownGloveDataset', img_prefix='gloves/train'))
fp16 = dict(loss_scale='dynamic')
