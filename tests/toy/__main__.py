"""`ipam` with the toy family: `python -m tests.toy VERB …`."""

from reconciler.cli import main
from tests.toy import installed

with installed():
    main()
