"""Settings of the documentation; build it with ``make docs``."""

from pathlib import Path

from docutils.nodes import SkipNode
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

import osmofuse

HERE = Path(__file__).parent
MATHJAX = HERE / "node_modules" / "mathjax" / "es5" / "tex-svg.js"

project = "osmofuse"
author = "The osmofuse developers"
project_copyright = "The osmofuse developers"
version = release = osmofuse.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "node_modules", "README.md"]
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say the types in words
napoleon_google_docstring = False
napoleon_use_param = napoleon_use_rtype = False  # types are prose, not links
napoleon_use_ivar = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "capture_repr": (),
    "remove_config_comments": True,
    "show_signature": False,
    "show_memory": False,
    "write_computation_times": False,  # its page would load scripts from elsewhere
    "abort_on_example_error": True,
}

html_theme = "pydata_sphinx_theme"
html_title = f"osmofuse {release}"
html_static_path = ["_static"]
html_css_files = ["osmofuse.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "osmofuse"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
# Only the examples have pages below them; elsewhere the left column would be empty.
html_sidebars = {path.stem: [] for path in HERE.glob("*.md")}

# Pages ask nobody but themselves: MathJax comes from npm and is copied beside them. Where it is
# not installed, formulas are shown as they are written.
if MATHJAX.exists():
    html_static_path.append(str(MATHJAX.relative_to(HERE)))
    html_math_renderer, mathjax_path = "mathjax", MATHJAX.name
else:
    html_math_renderer = "tex"
    html_theme_options["announcement"] = (
        "Formulas are shown as TeX: MathJax was not installed when these pages were built."
    )


def _inline_tex(writer, node) -> None:
    writer.body.append(writer.starttag(node, "code", "", CLASS="math"))
    writer.body.append(f"{writer.encode(node.astext())}</code>")
    raise SkipNode


def _block_tex(writer, node) -> None:
    writer.body.append(writer.starttag(node, "pre", "", CLASS="math"))
    writer.body.append(f"{writer.encode(node.astext())}</pre>")
    raise SkipNode


def setup(app: Sphinx) -> ExtensionMetadata:
    """Offer formulas as TeX, for machines without npm."""
    app.add_html_math_renderer("tex", (_inline_tex, None), (_block_tex, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
