"""
Step by step
============

The same work with its parts in hand: a method with settings of its own, sources that are checked
once, a watch that may end the run, the steps of the flow, and the energy recomputed.
"""

import matplotlib.pyplot as plt

import osmofuse

# %%
# Sources
# -------
# `Sources` checks that the pictures fit together and keeps them as they are. A rough mask becomes
# a soft map with `soften`, the blur of the paper.

scene = osmofuse.gallery.portrait(shape=(120, 100))
alpha = osmofuse.soften(scene.alpha == 1, sigma=2)
sources = osmofuse.Sources(scene.foreground, scene.background, alpha)

# %%
# A method, and a watch
# ---------------------
# A method is a frozen set of settings that can be called on sources. The watch is told where the
# computation is; if it returned True, the fusion would end as it is, with the status `cancelled`.

told = []


def watch(progress: osmofuse.Progress) -> bool:
    told.append(progress)
    return False


method = osmofuse.VariationalOsmosis(eta=0.1, mu=100.0, gamma=1.0, precision="double")
fusion = method(sources, watch=watch)
print(fusion.status, f"({len(told)} reports on the way)")

# %%
# What it did
# -----------
# Every step of the flow leaves a `Step`: how far it has come, the energy, and its terms. Each step
# is longer than the one before. The paper's rule ends the way where the energy hardly falls.

for step in fusion.history:
    print(f"reach {step.reach:5.2f} px: energy {step.energy:.3f}")

# %%
# `extend` goes on from a fusion. Most of the energy stays to the end; what is left of it above the
# value at a long reach is worth seeing.

further = [fusion]
for reach in (15, 20, 30, 40, 100):
    further.append(further[-1].extend(reach))
points = [(step.reach, step.energy) for step in fusion.history[:-1]]
points += [(found.reach, found.energy.sum()) for found in further]
reaches, energies = zip(*points, strict=True)

figure, axis = plt.subplots(figsize=(7, 3.6), layout="constrained")
axis.loglog(reaches[:-1], [energy - energies[-1] for energy in energies[:-1]], "o-")
axis.axvline(fusion.reach, color="gray", linestyle=":", label="the rule ends here")
axis.legend()
axis.set(xlabel="reach in pixels", ylabel="energy above the last")

# %%
# The energy can be computed again from the two pictures alone, in the model's discretisation or in
# that of the paper's experiments.

for edges in ("harmonic", "forward"):
    print(edges, osmofuse.energy(fusion.image, fusion.structure, sources, method, edges=edges))

# %%
# Where to begin
# --------------
# The flow is stopped early, long before the start is forgotten, so it shows in the result.

# sphinx_gallery_thumbnail_number = 2
figure, axes = plt.subplots(1, 4, figsize=(10, 3.4), layout="constrained")
axes[0].imshow(scene.background)
axes[0].set(title="background", xticks=[], yticks=[])
for axis, start in zip(axes[1:], ("foreground", "composite", "means"), strict=True):
    image = osmofuse.VariationalOsmosis(start=start)(sources).image
    axis.imshow(image.clip(0, 1))
    axis.set(title=f"start={start!r}", xticks=[], yticks=[])
