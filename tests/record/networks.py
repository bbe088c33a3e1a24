"""Small networks and steps that the recorder's tests write down."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.inner, self.outer = (
            nn.LayerNorm(width),
            nn.Linear(width, 4 * width),
            nn.Linear(4 * width, width),
        )

    def forward(self, x, scale):
        return x + self.outer(F.gelu(self.inner(self.norm(x)))) * scale


class Tokens(nn.Module):
    """Layers that take a second tensor; recomputed when asked for."""

    def __init__(self, width=32, depth=3, recompute=False):
        super().__init__()
        self.width, self.recompute = width, recompute
        self.words = nn.Embedding(100, width)
        self.layers = nn.ModuleList(Layer(width) for _ in range(depth))
        self.head = nn.Linear(width, 100)

    def forward(self, tokens):
        x = self.words(tokens)
        scale = torch.ones_like(x)
        for layer in self.layers:
            x = checkpoint(layer, x, scale, use_reentrant=False) if self.recompute else layer(x, scale)
        return self.head(x)


def recomputed():
    return Tokens(recompute=True)


class Halves(nn.Module):
    """A frozen encoder below a trained head, under autocast."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3, padding=1))
        self.encoder.requires_grad_(False)
        self.head = nn.Linear(16, 4)

    def forward(self, image):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return self.head(self.encoder(image).mean((2, 3)))


class Pair(nn.Module):
    """An image and words: two sizes, which add up."""

    def __init__(self):
        super().__init__()
        self.patches, self.words = nn.Conv2d(3, 24, 8, stride=8), nn.Embedding(50, 24)
        self.mix = nn.Linear(24, 24)

    def forward(self, image, tokens):
        seen = self.patches(image).flatten(2).transpose(1, 2)
        return F.relu(self.mix(torch.cat([seen, self.words(tokens)], dim=1))).mean((1, 2))


class Deciding(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 8)

    def forward(self, x):
        x = self.inner(x)
        if x.sum().item() > 0:  # only a run knows
            x = x * 2
        return x


def squares(model, batch):
    return F.mse_loss(model(batch["image"]), batch["target"])


def next_word(model, tokens):
    return F.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())


class Guarded(nn.Module):
    """Asks about values only to guard itself."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 8)

    def forward(self, x):
        if torch.isnan(x).any():
            raise ValueError("not a number")
        return self.inner(x)
