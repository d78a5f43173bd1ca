# Which values instances have in their __dict__, as the recorder reads it without the
# interpreter's lock: of dicts that share their keys, of copies, of those that lost an item.
import ctypes
import sys
from collections import OrderedDict


class Module:
    """As nn.Module: its __dict__ has been looked at."""

    def __init__(self, attributes):
        self.training = True
        self._parameters = {}
        self._forward_hooks = OrderedDict()
        self.__dict__.get("x")
        for number in range(attributes):
            setattr(self, "a%d" % number, object())


def replica(module):
    """As Module._replicate_for_data_parallel()."""
    made = module.__new__(type(module))
    made.__dict__ = module.__dict__.copy()
    made._parameters = {}
    made._is_replica = True
    return made


def shortened(module):
    made = replica(module)
    del made.training
    made.later = 1
    return made


def address(of):
    return ctypes.c_size_t(id(of))


library = ctypes.CDLL(sys.argv[1])
first = Module(3)
if not library.learn(address(first), address(first.__dict__), address(first._forward_hooks),
                     sys.version_info[1]):
    sys.exit("nothing could be learned")
wrong = 0
for attributes in [*range(40), 60, 100, 300]:
    module, other = Module(attributes), Module(attributes)
    for each in (module, replica(module), shortened(module)):
        wrong += not library.has(address(each), address(module._forward_hooks))
        wrong += library.has(address(each), address(other._forward_hooks))
print("wrong:", wrong)
