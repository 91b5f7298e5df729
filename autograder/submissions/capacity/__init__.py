"""How many workers, machines and servers a deadline night needs: the queue as a simulation, fed with measured times.

`python manage.py simulate` is its command. Nothing here is used by a running site.
"""
