"""What NetworkPool.json accepts. Do not edit: `make schemas` writes it by fastjsonschema."""

from decimal import Decimal
import re
from reconciler.documents.accepting import RefusedError as JsonSchemaValueException


REGEX_PATTERNS = {
    '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$': re.compile('^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?\\Z')
}

NoneType = type(None)

def validate_https___gitops_ipam_dev_schemas_butler_networkpool_json(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object")
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data__missing_keys = set(['apiVersion', 'kind', 'metadata', 'spec']) - data.keys()
        if data__missing_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must contain ")
        data_keys = set(data.keys())
        if "apiVersion" in data_keys:
            data_keys.remove("apiVersion")
            data__apiVersion = data["apiVersion"]
            if not (isinstance(data__apiVersion, str) and data__apiVersion == 'butler.butlerlabs.dev/v1alpha1'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".apiVersion must be one of ['butler.butlerlabs.dev/v1alpha1']")
        if "kind" in data_keys:
            data_keys.remove("kind")
            data__kind = data["kind"]
            if not (isinstance(data__kind, str) and data__kind == 'NetworkPool'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".kind must be one of ['NetworkPool']")
        if "metadata" in data_keys:
            data_keys.remove("metadata")
            data__metadata = data["metadata"]
            if not isinstance(data__metadata, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata must be object")
            data__metadata_is_dict = isinstance(data__metadata, dict)
            if data__metadata_is_dict:
                data__metadata__missing_keys = set(['name']) - data__metadata.keys()
                if data__metadata__missing_keys:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata must contain ")
                data__metadata_keys = set(data__metadata.keys())
                if "name" in data__metadata_keys:
                    data__metadata_keys.remove("name")
                    data__metadata__name = data__metadata["name"]
                    if not isinstance(data__metadata__name, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.name must be string")
                if "labels" in data__metadata_keys:
                    data__metadata_keys.remove("labels")
                    data__metadata__labels = data__metadata["labels"]
                    if not isinstance(data__metadata__labels, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.labels must be object")
                    data__metadata__labels_is_dict = isinstance(data__metadata__labels, dict)
                    if data__metadata__labels_is_dict:
                        data__metadata__labels_keys = set(data__metadata__labels.keys())
                        for data__metadata__labels_key in data__metadata__labels_keys:
                            if data__metadata__labels_key not in []:
                                data__metadata__labels_value = data__metadata__labels.get(data__metadata__labels_key)
                                if not isinstance(data__metadata__labels_value, (str)):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.labels.{data__metadata__labels_key}".format(**locals()) + " must be string")
                                if isinstance(data__metadata__labels_value, str):
                                    data__metadata__labels_value_len = len(data__metadata__labels_value)
                                    if data__metadata__labels_value_len > 63:
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.labels.{data__metadata__labels_key}".format(**locals()) + " must be shorter than or equal to 63 characters")
                                    if not REGEX_PATTERNS['^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$'].search(data__metadata__labels_value):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.labels.{data__metadata__labels_key}".format(**locals()) + " must match pattern ^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$")
                if "annotations" in data__metadata_keys:
                    data__metadata_keys.remove("annotations")
                    data__metadata__annotations = data__metadata["annotations"]
                    if not isinstance(data__metadata__annotations, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.annotations must be object")
                    data__metadata__annotations_is_dict = isinstance(data__metadata__annotations, dict)
                    if data__metadata__annotations_is_dict:
                        data__metadata__annotations_keys = set(data__metadata__annotations.keys())
                        for data__metadata__annotations_key in data__metadata__annotations_keys:
                            if data__metadata__annotations_key not in []:
                                data__metadata__annotations_value = data__metadata__annotations.get(data__metadata__annotations_key)
                                if not isinstance(data__metadata__annotations_value, (str)):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.annotations.{data__metadata__annotations_key}".format(**locals()) + " must be string")
                if "namespace" in data__metadata_keys:
                    data__metadata_keys.remove("namespace")
                    data__metadata__namespace = data__metadata["namespace"]
                    if not isinstance(data__metadata__namespace, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.namespace must be string")
                if data__metadata_keys:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata must not contain "+str(data__metadata_keys)+" properties")
        if "spec" in data_keys:
            data_keys.remove("spec")
            data__spec = data["spec"]
            if not isinstance(data__spec, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec must be object")
            data__spec_is_dict = isinstance(data__spec, dict)
            if data__spec_is_dict:
                data__spec__missing_keys = set(['cidr']) - data__spec.keys()
                if data__spec__missing_keys:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec must contain ")
                data__spec_keys = set(data__spec.keys())
                if "cidr" in data__spec_keys:
                    data__spec_keys.remove("cidr")
                    data__spec__cidr = data__spec["cidr"]
                    if not isinstance(data__spec__cidr, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.cidr must be string")
                    if isinstance(data__spec__cidr, str):
                        data__spec__cidr_len = len(data__spec__cidr)
                        if data__spec__cidr_len > 64:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.cidr must be shorter than or equal to 64 characters")
                if "reserved" in data__spec_keys:
                    data__spec_keys.remove("reserved")
                    data__spec__reserved = data__spec["reserved"]
                    if not isinstance(data__spec__reserved, (list, tuple)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.reserved must be array")
                    data__spec__reserved_is_list = isinstance(data__spec__reserved, (list, tuple))
                    if data__spec__reserved_is_list:
                        data__spec__reserved_len = len(data__spec__reserved)
                        for data__spec__reserved_x, data__spec__reserved_item in enumerate(data__spec__reserved):
                            if not isinstance(data__spec__reserved_item, (dict)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.reserved[{data__spec__reserved_x}]".format(**locals()) + " must be object")
                            data__spec__reserved_item_is_dict = isinstance(data__spec__reserved_item, dict)
                            if data__spec__reserved_item_is_dict:
                                data__spec__reserved_item__missing_keys = set(['cidr']) - data__spec__reserved_item.keys()
                                if data__spec__reserved_item__missing_keys:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.reserved[{data__spec__reserved_x}]".format(**locals()) + " must contain ")
                                data__spec__reserved_item_keys = set(data__spec__reserved_item.keys())
                                if "cidr" in data__spec__reserved_item_keys:
                                    data__spec__reserved_item_keys.remove("cidr")
                                    data__spec__reserved_item__cidr = data__spec__reserved_item["cidr"]
                                    if not isinstance(data__spec__reserved_item__cidr, (str)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.reserved[{data__spec__reserved_x}].cidr".format(**locals()) + " must be string")
                                    if isinstance(data__spec__reserved_item__cidr, str):
                                        data__spec__reserved_item__cidr_len = len(data__spec__reserved_item__cidr)
                                        if data__spec__reserved_item__cidr_len > 64:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.reserved[{data__spec__reserved_x}].cidr".format(**locals()) + " must be shorter than or equal to 64 characters")
                                if "description" in data__spec__reserved_item_keys:
                                    data__spec__reserved_item_keys.remove("description")
                                    data__spec__reserved_item__description = data__spec__reserved_item["description"]
                                    if not isinstance(data__spec__reserved_item__description, (str)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.reserved[{data__spec__reserved_x}].description".format(**locals()) + " must be string")
                                    if isinstance(data__spec__reserved_item__description, str):
                                        data__spec__reserved_item__description_len = len(data__spec__reserved_item__description)
                                        if data__spec__reserved_item__description_len > 512:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.reserved[{data__spec__reserved_x}].description".format(**locals()) + " must be shorter than or equal to 512 characters")
                                if data__spec__reserved_item_keys:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.reserved[{data__spec__reserved_x}]".format(**locals()) + " must not contain "+str(data__spec__reserved_item_keys)+" properties")
                if "tenantAllocation" in data__spec_keys:
                    data__spec_keys.remove("tenantAllocation")
                    data__spec__tenantAllocation = data__spec["tenantAllocation"]
                    if not isinstance(data__spec__tenantAllocation, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation must be object")
                    data__spec__tenantAllocation_is_dict = isinstance(data__spec__tenantAllocation, dict)
                    if data__spec__tenantAllocation_is_dict:
                        data__spec__tenantAllocation_keys = set(data__spec__tenantAllocation.keys())
                        if "ranges" in data__spec__tenantAllocation_keys:
                            data__spec__tenantAllocation_keys.remove("ranges")
                            data__spec__tenantAllocation__ranges = data__spec__tenantAllocation["ranges"]
                            if not isinstance(data__spec__tenantAllocation__ranges, (list, tuple)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.ranges must be array")
                            data__spec__tenantAllocation__ranges_is_list = isinstance(data__spec__tenantAllocation__ranges, (list, tuple))
                            if data__spec__tenantAllocation__ranges_is_list:
                                data__spec__tenantAllocation__ranges_len = len(data__spec__tenantAllocation__ranges)
                                if data__spec__tenantAllocation__ranges_len > 16:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.ranges must contain less than or equal to 16 items")
                                for data__spec__tenantAllocation__ranges_x, data__spec__tenantAllocation__ranges_item in enumerate(data__spec__tenantAllocation__ranges):
                                    if not isinstance(data__spec__tenantAllocation__ranges_item, (dict)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.ranges[{data__spec__tenantAllocation__ranges_x}]".format(**locals()) + " must be object")
                                    data__spec__tenantAllocation__ranges_item_is_dict = isinstance(data__spec__tenantAllocation__ranges_item, dict)
                                    if data__spec__tenantAllocation__ranges_item_is_dict:
                                        data__spec__tenantAllocation__ranges_item__missing_keys = set(['start', 'end']) - data__spec__tenantAllocation__ranges_item.keys()
                                        if data__spec__tenantAllocation__ranges_item__missing_keys:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.ranges[{data__spec__tenantAllocation__ranges_x}]".format(**locals()) + " must contain ")
                                        data__spec__tenantAllocation__ranges_item_keys = set(data__spec__tenantAllocation__ranges_item.keys())
                                        if "start" in data__spec__tenantAllocation__ranges_item_keys:
                                            data__spec__tenantAllocation__ranges_item_keys.remove("start")
                                            data__spec__tenantAllocation__ranges_item__start = data__spec__tenantAllocation__ranges_item["start"]
                                            if not isinstance(data__spec__tenantAllocation__ranges_item__start, (str)):
                                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.ranges[{data__spec__tenantAllocation__ranges_x}].start".format(**locals()) + " must be string")
                                            if isinstance(data__spec__tenantAllocation__ranges_item__start, str):
                                                data__spec__tenantAllocation__ranges_item__start_len = len(data__spec__tenantAllocation__ranges_item__start)
                                                if data__spec__tenantAllocation__ranges_item__start_len > 64:
                                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.ranges[{data__spec__tenantAllocation__ranges_x}].start".format(**locals()) + " must be shorter than or equal to 64 characters")
                                        if "end" in data__spec__tenantAllocation__ranges_item_keys:
                                            data__spec__tenantAllocation__ranges_item_keys.remove("end")
                                            data__spec__tenantAllocation__ranges_item__end = data__spec__tenantAllocation__ranges_item["end"]
                                            if not isinstance(data__spec__tenantAllocation__ranges_item__end, (str)):
                                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.ranges[{data__spec__tenantAllocation__ranges_x}].end".format(**locals()) + " must be string")
                                            if isinstance(data__spec__tenantAllocation__ranges_item__end, str):
                                                data__spec__tenantAllocation__ranges_item__end_len = len(data__spec__tenantAllocation__ranges_item__end)
                                                if data__spec__tenantAllocation__ranges_item__end_len > 64:
                                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.ranges[{data__spec__tenantAllocation__ranges_x}].end".format(**locals()) + " must be shorter than or equal to 64 characters")
                                        if data__spec__tenantAllocation__ranges_item_keys:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.ranges[{data__spec__tenantAllocation__ranges_x}]".format(**locals()) + " must not contain "+str(data__spec__tenantAllocation__ranges_item_keys)+" properties")
                        if "start" in data__spec__tenantAllocation_keys:
                            data__spec__tenantAllocation_keys.remove("start")
                            data__spec__tenantAllocation__start = data__spec__tenantAllocation["start"]
                            if not isinstance(data__spec__tenantAllocation__start, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.start must be string")
                            if isinstance(data__spec__tenantAllocation__start, str):
                                data__spec__tenantAllocation__start_len = len(data__spec__tenantAllocation__start)
                                if data__spec__tenantAllocation__start_len > 64:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.start must be shorter than or equal to 64 characters")
                        if "end" in data__spec__tenantAllocation_keys:
                            data__spec__tenantAllocation_keys.remove("end")
                            data__spec__tenantAllocation__end = data__spec__tenantAllocation["end"]
                            if not isinstance(data__spec__tenantAllocation__end, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.end must be string")
                            if isinstance(data__spec__tenantAllocation__end, str):
                                data__spec__tenantAllocation__end_len = len(data__spec__tenantAllocation__end)
                                if data__spec__tenantAllocation__end_len > 64:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.end must be shorter than or equal to 64 characters")
                        if "defaults" in data__spec__tenantAllocation_keys:
                            data__spec__tenantAllocation_keys.remove("defaults")
                            data__spec__tenantAllocation__defaults = data__spec__tenantAllocation["defaults"]
                            if not isinstance(data__spec__tenantAllocation__defaults, (dict)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.defaults must be object")
                            data__spec__tenantAllocation__defaults_is_dict = isinstance(data__spec__tenantAllocation__defaults, dict)
                            if data__spec__tenantAllocation__defaults_is_dict:
                                data__spec__tenantAllocation__defaults_keys = set(data__spec__tenantAllocation__defaults.keys())
                                if "nodesPerTenant" in data__spec__tenantAllocation__defaults_keys:
                                    data__spec__tenantAllocation__defaults_keys.remove("nodesPerTenant")
                                    data__spec__tenantAllocation__defaults__nodesPerTenant = data__spec__tenantAllocation__defaults["nodesPerTenant"]
                                    if not isinstance(data__spec__tenantAllocation__defaults__nodesPerTenant, (int)) and not (isinstance(data__spec__tenantAllocation__defaults__nodesPerTenant, float) and data__spec__tenantAllocation__defaults__nodesPerTenant.is_integer()) or isinstance(data__spec__tenantAllocation__defaults__nodesPerTenant, bool):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.defaults.nodesPerTenant must be integer")
                                    if isinstance(data__spec__tenantAllocation__defaults__nodesPerTenant, (int, float, Decimal)) and not isinstance(data__spec__tenantAllocation__defaults__nodesPerTenant, bool):
                                        if data__spec__tenantAllocation__defaults__nodesPerTenant < 1:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.defaults.nodesPerTenant must be bigger than or equal to 1")
                                        if data__spec__tenantAllocation__defaults__nodesPerTenant > 2147483647:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.defaults.nodesPerTenant must be smaller than or equal to 2147483647")
                                if "lbPoolPerTenant" in data__spec__tenantAllocation__defaults_keys:
                                    data__spec__tenantAllocation__defaults_keys.remove("lbPoolPerTenant")
                                    data__spec__tenantAllocation__defaults__lbPoolPerTenant = data__spec__tenantAllocation__defaults["lbPoolPerTenant"]
                                    if not isinstance(data__spec__tenantAllocation__defaults__lbPoolPerTenant, (int)) and not (isinstance(data__spec__tenantAllocation__defaults__lbPoolPerTenant, float) and data__spec__tenantAllocation__defaults__lbPoolPerTenant.is_integer()) or isinstance(data__spec__tenantAllocation__defaults__lbPoolPerTenant, bool):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.defaults.lbPoolPerTenant must be integer")
                                    if isinstance(data__spec__tenantAllocation__defaults__lbPoolPerTenant, (int, float, Decimal)) and not isinstance(data__spec__tenantAllocation__defaults__lbPoolPerTenant, bool):
                                        if data__spec__tenantAllocation__defaults__lbPoolPerTenant < 1:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.defaults.lbPoolPerTenant must be bigger than or equal to 1")
                                        if data__spec__tenantAllocation__defaults__lbPoolPerTenant > 2147483647:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.defaults.lbPoolPerTenant must be smaller than or equal to 2147483647")
                                if data__spec__tenantAllocation__defaults_keys:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation.defaults must not contain "+str(data__spec__tenantAllocation__defaults_keys)+" properties")
                        if data__spec__tenantAllocation_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantAllocation must not contain "+str(data__spec__tenantAllocation_keys)+" properties")
                if data__spec_keys:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec must not contain "+str(data__spec_keys)+" properties")
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties")
    return data

validate = validate_https___gitops_ipam_dev_schemas_butler_networkpool_json
