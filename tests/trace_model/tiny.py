"""Small modules that the tracer's tests record."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(width)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        return x + self.act(self.norm(self.conv(x)))


def residual(width=8, depth=4):
    blocks = [Block(width) for _ in range(depth)]
    return nn.Sequential(nn.Conv2d(3, width, 3), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 10))


class Attention(nn.Module):
    """Patches, one attention and a token of its own: reshapes that follow from batch and image size."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 16, 4, stride=4)
        self.token = nn.Parameter(torch.zeros(1, 1, 16))
        self.qkv = nn.Linear(16, 48)
        self.head = nn.Linear(16, 5)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], dim=1)
        b, n, c = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, 2, c // 2).permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-2, -1) * 0.35).softmax(dim=-1)
        x = (weights @ v).transpose(1, 2).reshape(b, n, c)
        return self.head(x[:, 0])


class Cached(nn.Module):
    """A cache that starts from nothing, as that of keys and values does."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.head = nn.Linear(8, 10)

    def forward(self, x):
        x = torch.cat([torch.empty(0, device=x.device), self.conv(x)], dim=-2)
        return self.head(x.mean((2, 3)))


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2


class Odd(nn.Module):
    """A layer used twice, and a function only its author knows."""

    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(12, 12)
        self.head = nn.Linear(12, 3)

    def forward(self, x):
        x = self.shared(torch.tanh(self.shared(x.flatten(1))))
        return self.head(Doubled.apply(x))
