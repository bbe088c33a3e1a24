python train.py --batch-size 32 --epochs 10 --lr 0.1 --num-workers 16
