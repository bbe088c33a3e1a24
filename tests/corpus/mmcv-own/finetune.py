_base_ = ['base.py']
image_size = 512
network = 'Denoiser_L'
train_batch_size = 4
num_epochs = 10
grad_checkpointing = True
optimizer = dict(type='AdamW', lr=2e-5, weight_decay=0.0)
