"""
Methods side by side
====================

A guest's face enters a portrait by every method there is: :func:`osmofuse.compare` runs them on one
pair, and scores what they made with the same metrics.
"""

import matplotlib.pyplot as plt

import osmofuse
from osmofuse.report import markdown_table

scene = osmofuse.gallery.portrait(shape=(240, 200))
soft = osmofuse.soften(scene.alpha == 1, sigma=3)

# %%
# Poisson editing works in the region where the map is 0, and wants it as it was drawn; the others
# that look at a map want it soft.

compared = osmofuse.compare(
    scene.foreground,
    scene.background,
    soft,
    alphas={"poisson": scene.alpha},
    truth=scene.truth,
)

# %%
# The table can be pasted into any Markdown; `latex_table` is there for papers. Times of a first run
# include compiling.

print(markdown_table(compared))

# %%
# The chromaticity error is lowest for doing nothing, so it is to be read with the structure score
# beside it. What neither tells is seen at once: a method without a map cannot know that only the
# face was meant.

shown = {"sitter": scene.foreground, "guest": scene.background}
shown |= {found.name: found.fusion.image for found in compared}
columns = -(-len(shown) // 2)
figure, axes = plt.subplots(2, columns, figsize=(2.1 * columns, 5.4), layout="constrained")
for axis in axes.flat:
    axis.set_axis_off()
for axis, (name, picture) in zip(axes.flat, shown.items(), strict=False):
    axis.imshow(picture.clip(0, 1))
    axis.set_title(name, fontsize=9)

# %%
# Each comparison has the whole fusion.

fusion = compared[0].fusion
print(compared[0].name, fusion.status, f"at a reach of {fusion.reach:.1f} pixels")
