_base_ = []
train_batch_size = 32
num_workers = 8
optimizer = dict(type='SGD', lr=1e-2, momentum=0.9, nesterov=True, weight_decay=3e-2)
