"""Runs a command and wants the exit status given first: exits.py STATUS COMMAND ARGUMENT...

lit's `not` is content with any failure, a crash by exit status included; these tests tell 1, 2 and 3 apart.
"""
import subprocess
import sys

wanted, command = int(sys.argv[1]), sys.argv[2:]
status = subprocess.run(command).returncode
if status != wanted:
    sys.exit(f"exit status {status}, not {wanted}, of: {' '.join(command)}")
