#!/bin/sh
# made by 'segue install'; 'segue uninstall' removes it
exec @PROGRAM@ hook cline prompt
