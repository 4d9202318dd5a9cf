"""``make judge``: fuse drawn and real pairs with any settings, measure, and draw one page."""
