"""
One call
========

A page whose ink has faded, its infrared picture, and a map that says where the ink is gone:
that is all :func:`osmofuse.fuse` needs.
"""

import matplotlib.pyplot as plt

import osmofuse

scene = osmofuse.gallery.manuscript(shape=(240, 180), seed=3)
fusion = osmofuse.fuse(scene.foreground, scene.background, scene.alpha)
print(fusion.status, f"after {len(fusion.history)} steps, at a reach of {fusion.reach:.1f} pixels")

# %%
# The result lies on the scale where 1.0 is white and is not clipped; a picture on a screen has to
# be.

figure, axes = plt.subplots(1, 3, figsize=(9, 4.4), layout="constrained")
pictures = {"visible": scene.foreground, "infrared": scene.background, "fused": fusion.image}
for axis, (name, picture) in zip(axes, pictures.items(), strict=True):
    axis.imshow(picture.clip(0, 1), cmap="gray", vmin=0, vmax=1)
    axis.set(title=name, xticks=[], yticks=[])

# %%
# The scene knows what the page looked like before it faded, so the gain can be measured.

for name, picture in {"visible": scene.foreground, "fused": fusion.image}.items():
    inputs = scene.foreground, scene.background, scene.alpha
    scores = osmofuse.score(picture, *inputs, truth=scene.truth)
    print(f"{name:>8}: {scores['psnr'].value:.2f} dB, SSIM {scores['ssim'].value:.3f}")
