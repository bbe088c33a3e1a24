batch, rate = 2, 1e-4
data = dict(samples_per_gpu=batch, workers_per_gpu=batch + 1, persistent_workers=True)
optimizer = dict(type='AdamW', lr=rate, betas=(0.9, 0.999), weight_decay=0.05)
optimizer_config = dict(grad_clip=dict(max_norm=0.1, norm_type=2))
lr_config = dict(policy='CosineAnnealing', min_lr=0, warmup='linear', warmup_iters=1000)
runner = dict(type='EpochBasedRunner', max_epochs=36)
find_unused_parameters = True
