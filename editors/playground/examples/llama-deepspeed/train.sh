#!/usr/bin/env bash
# Full fine-tuning of a 7B model on one machine with eight GPUs.
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
torchrun --nproc_per_node=8 train.py train.yaml
