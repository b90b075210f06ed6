"""A network that knows only ``import spconv.pytorch as spconv``, after detops.install("spconv")."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from test_install import run, write  # noqa: E402

# As somebody writes it for spconv: no line of it knows of detops.
NETWORK = """
    import spconv.pytorch as spconv
    import torch
    from spconv.core import ConvAlgo
    from spconv.pytorch import functional as Fsp
    from spconv.pytorch.conv import SparseConvolution
    from spconv.pytorch.utils import PointToVoxel
    from torch import nn


    class Block(spconv.SparseModule):
        def __init__(self, channels, key):
            super().__init__()
            words = {"bias": False, "indice_key": key, "algo": ConvAlgo.Native}
            self.layers = spconv.SparseSequential(
                spconv.SubMConv3d(channels, channels, 3, padding=1, **words),
                nn.BatchNorm1d(channels),
                nn.ReLU(),
                spconv.SubMConv3d(channels, channels, 3, padding=1, **words),
            )

        def forward(self, x):
            y = self.layers(x)
            return y.replace_feature(torch.tanh(y.features + x.features))


    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = spconv.SparseSequential(spconv.SubMConv3d(4, 6, 3, indice_key="a"), nn.ReLU())
            self.block = Block(6, "a")
            self.down = spconv.SparseConv3d(6, 8, 3, stride=2, padding=1, indice_key="down")
            self.pool = spconv.SparseMaxPool3d(2, 2, indice_key="pool")
            self.deep = spconv.SparseSequential(spconv.SubMConv3d(8, 8, 3), nn.ReLU())
            self.unpool = spconv.SparseInverseConv3d(8, 8, 2, indice_key="pool")
            self.up = spconv.SparseInverseConv3d(8, 6, 3, indice_key="down", bias=False)
            self.mix = spconv.SubMConv3d(12, 5, 1)
            self.grow = spconv.SparseConvTranspose3d(5, 3, 2, stride=2)
            self.flat = spconv.SparseSequential(spconv.SparseConv3d(3, 2, (3, 1, 1)), spconv.ToDense())
            self.mean = spconv.SparseGlobalAvgPool()

        def forward(self, features, sites, batch_size):
            x = spconv.SparseConvTensor(features, sites, SPACE, batch_size)
            x = self.block(self.first(x))
            low = self.down(x)
            deep = self.unpool(self.deep(self.pool(low)))
            low = Fsp.sparse_add(low, deep)
            back = self.up(low)
            x = back.replace_feature(torch.cat([x.features, back.features], 1))
            x = self.mix(x)
            return self.flat(self.grow(x)), self.mean(x)


    SPACE = [6, 8, 8]


    def step():
        torch.manual_seed(0)
        network = Network().double()
        assert sum(isinstance(part, SparseConvolution) for part in network.modules()) == 10
        make = PointToVoxel([1, 1, 1], [0, 0, 0, 8, 8, 6], 4, 500, 4)
        rows = []
        for sample in range(2):
            voxels, places, counts = make(torch.rand(120, 4) * torch.tensor([8.0, 8, 6, 1]))
            batch = torch.full((len(places), 1), sample)
            rows.append((voxels.sum(1) / counts[:, None], torch.cat([batch, places], 1).int()))
        features, sites = (torch.cat(parts) for parts in zip(*rows))
        features = features.double().requires_grad_()
        dense, mean = network(features, sites, 2)
        loss = (dense * torch.linspace(-1, 1, dense.numel()).reshape(dense.shape)).sum()
        (loss + mean.square().sum()).backward()
        state = {name: p.grad for name, p in network.named_parameters()}
        return {"dense": dense.detach(), "mean": mean.detach(), "features": features.grad, **state}
    """


def test_network_of_spconv_alone(tmp_path: Path) -> None:
    """Values and gradients are those of the same lines on detops.spconv."""
    write(tmp_path, {"network.py": NETWORK, "direct.py": direct(NETWORK)})
    run(
        tmp_path,
        """
        assert detops.install("spconv") == ("spconv",)
        import network
        found = network.step()
        assert network.spconv.__name__ == "spconv.pytorch"
        assert all(number.abs().max() > 0 for number in found.values())
        assert detops.uninstall() == ("spconv",)
        assert failure("import spconv") == "ModuleNotFoundError: No module named 'spconv'"
        import direct, torch
        expected = direct.step()
        assert direct.spconv.__name__ == "detops.spconv" and found.keys() == expected.keys()
        for name, number in expected.items():
            assert torch.equal(found[name], number), name
        """,
    )


def direct(text: str) -> str:
    text = text.replace("import spconv.pytorch as spconv", "import detops.spconv as spconv")
    text = text.replace("from spconv.core import", "from detops.spconv.conv import")
    return text.replace("from spconv.pytorch", "from detops.spconv")


DENSE = """
    import torch
    from torch.nn import functional as F

    def weight(layer):
        return layer.weight.permute(0, 4, 1, 2, 3)

    def sites_of(x):
        mask = torch.zeros(x.batch_size, 1, *x.spatial_shape).double()
        mask[x.indices[:, 0].long(), 0, *(column.long() for column in x.indices[:, 1:].T)] = 1
        return mask

    def forward(network, x):
        first, down, up, grow = network
        mask, y = sites_of(x), x.dense()
        y = F.relu(F.conv3d(y, weight(first), first.bias, padding=1) * mask)
        reached = (F.conv3d(mask, torch.ones(1, 1, 3, 3, 3).double(), stride=2, padding=1) > 0).double()
        y = F.conv3d(y, weight(down), down.bias, stride=2, padding=1) * reached
        # Back to the sites before: the adjoint of the layer it undoes.
        y = F.conv_transpose3d(y, weight(up).transpose(0, 1), padding=1, stride=2, output_padding=1)
        y = (y + up.bias.reshape(1, -1, 1, 1, 1)) * mask
        y = F.conv_transpose3d(y, weight(grow).transpose(0, 1), grow.bias, stride=2)
        return y * mask.repeat_interleave(2, 2).repeat_interleave(2, 3).repeat_interleave(2, 4)
    """


def test_network_of_spconv_against_dense_layers(tmp_path: Path) -> None:
    write(tmp_path, {"dense.py": DENSE})
    run(
        tmp_path,
        """
        detops.install("spconv")
        import dense, torch
        import spconv.pytorch as spconv
        torch.manual_seed(0)
        network = spconv.SparseSequential(
            spconv.SubMConv3d(3, 4, 3, indice_key="a"), torch.nn.ReLU(),
            spconv.SparseConv3d(4, 5, 3, 2, 1, indice_key="d"),
            spconv.SparseInverseConv3d(5, 4, 3, "d"),
            spconv.SparseConvTranspose3d(4, 2, 2, 2),
        ).double()
        sites = torch.rand(2, 4, 6, 8).lt(0.2).nonzero().int()
        found = []
        for forward in (
            lambda x: network(x).dense(),
            lambda x: dense.forward([network[i] for i in (0, 2, 3, 4)], x),
        ):
            torch.manual_seed(1)
            features = torch.randn(len(sites), 3).double().requires_grad_()
            y = forward(spconv.SparseConvTensor(features, sites, [4, 6, 8], 2))
            weights = torch.linspace(-1, 1, y.numel()).reshape(y.shape)
            grads = torch.autograd.grad(y, [features, *network.parameters()], weights)
            found.append([y, *grads])
        assert found[0][0].abs().max() > 0
        for mine, expected in zip(*found):
            torch.testing.assert_close(mine, expected)
        """,
    )
