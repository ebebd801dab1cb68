"""What IPAllocation.json accepts. Do not edit: `make schemas` writes it by fastjsonschema."""

from decimal import Decimal
import re
from reconciler.documents.accepting import RefusedError as JsonSchemaValueException


REGEX_PATTERNS = {
    '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$': re.compile('^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?\\Z'),
    '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$': re.compile('^[a-z0-9]([-a-z0-9]*[a-z0-9])?\\Z')
}

NoneType = type(None)

def validate_https___gitops_ipam_dev_schemas_butler_ipallocation_json(data, custom_formats={}, name_prefix=None):
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
            if not (isinstance(data__kind, str) and data__kind == 'IPAllocation'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".kind must be one of ['IPAllocation']")
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
                        if "butler.butlerlabs.dev/team" in data__metadata__labels_keys:
                            data__metadata__labels_keys.remove("butler.butlerlabs.dev/team")
                            data__metadata__labels__butlerbutlerlabsdevteam = data__metadata__labels["butler.butlerlabs.dev/team"]
                            if not isinstance(data__metadata__labels__butlerbutlerlabsdevteam, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.labels.butler.butlerlabs.dev/team must be string")
                            if isinstance(data__metadata__labels__butlerbutlerlabsdevteam, str):
                                data__metadata__labels__butlerbutlerlabsdevteam_len = len(data__metadata__labels__butlerbutlerlabsdevteam)
                                if data__metadata__labels__butlerbutlerlabsdevteam_len > 63:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.labels.butler.butlerlabs.dev/team must be shorter than or equal to 63 characters")
                                if not REGEX_PATTERNS['^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$'].search(data__metadata__labels__butlerbutlerlabsdevteam):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.labels.butler.butlerlabs.dev/team must match pattern ^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$")
                        for data__metadata__labels_key in data__metadata__labels_keys:
                            if data__metadata__labels_key not in ['butler.butlerlabs.dev/team']:
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
                data__spec__missing_keys = set(['poolRef', 'tenantClusterRef', 'type']) - data__spec.keys()
                if data__spec__missing_keys:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec must contain ")
                data__spec_keys = set(data__spec.keys())
                if "poolRef" in data__spec_keys:
                    data__spec_keys.remove("poolRef")
                    data__spec__poolRef = data__spec["poolRef"]
                    if not isinstance(data__spec__poolRef, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolRef must be object")
                    data__spec__poolRef_is_dict = isinstance(data__spec__poolRef, dict)
                    if data__spec__poolRef_is_dict:
                        data__spec__poolRef__missing_keys = set(['name']) - data__spec__poolRef.keys()
                        if data__spec__poolRef__missing_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolRef must contain ")
                        data__spec__poolRef_keys = set(data__spec__poolRef.keys())
                        if "name" in data__spec__poolRef_keys:
                            data__spec__poolRef_keys.remove("name")
                            data__spec__poolRef__name = data__spec__poolRef["name"]
                            if not isinstance(data__spec__poolRef__name, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolRef.name must be string")
                            if isinstance(data__spec__poolRef__name, str):
                                data__spec__poolRef__name_len = len(data__spec__poolRef__name)
                                if data__spec__poolRef__name_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolRef.name must be longer than or equal to 1 characters")
                                if data__spec__poolRef__name_len > 63:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolRef.name must be shorter than or equal to 63 characters")
                                if not REGEX_PATTERNS['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'].search(data__spec__poolRef__name):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolRef.name must match pattern ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
                        if data__spec__poolRef_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.poolRef must not contain "+str(data__spec__poolRef_keys)+" properties")
                if "tenantClusterRef" in data__spec_keys:
                    data__spec_keys.remove("tenantClusterRef")
                    data__spec__tenantClusterRef = data__spec["tenantClusterRef"]
                    if not isinstance(data__spec__tenantClusterRef, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantClusterRef must be object")
                    data__spec__tenantClusterRef_is_dict = isinstance(data__spec__tenantClusterRef, dict)
                    if data__spec__tenantClusterRef_is_dict:
                        data__spec__tenantClusterRef__missing_keys = set(['name', 'namespace']) - data__spec__tenantClusterRef.keys()
                        if data__spec__tenantClusterRef__missing_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantClusterRef must contain ")
                        data__spec__tenantClusterRef_keys = set(data__spec__tenantClusterRef.keys())
                        if "name" in data__spec__tenantClusterRef_keys:
                            data__spec__tenantClusterRef_keys.remove("name")
                            data__spec__tenantClusterRef__name = data__spec__tenantClusterRef["name"]
                            if not isinstance(data__spec__tenantClusterRef__name, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantClusterRef.name must be string")
                            if isinstance(data__spec__tenantClusterRef__name, str):
                                data__spec__tenantClusterRef__name_len = len(data__spec__tenantClusterRef__name)
                                if data__spec__tenantClusterRef__name_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantClusterRef.name must be longer than or equal to 1 characters")
                                if data__spec__tenantClusterRef__name_len > 63:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantClusterRef.name must be shorter than or equal to 63 characters")
                                if not REGEX_PATTERNS['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'].search(data__spec__tenantClusterRef__name):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantClusterRef.name must match pattern ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
                        if "namespace" in data__spec__tenantClusterRef_keys:
                            data__spec__tenantClusterRef_keys.remove("namespace")
                            data__spec__tenantClusterRef__namespace = data__spec__tenantClusterRef["namespace"]
                            if not isinstance(data__spec__tenantClusterRef__namespace, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantClusterRef.namespace must be string")
                            if isinstance(data__spec__tenantClusterRef__namespace, str):
                                data__spec__tenantClusterRef__namespace_len = len(data__spec__tenantClusterRef__namespace)
                                if data__spec__tenantClusterRef__namespace_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantClusterRef.namespace must be longer than or equal to 1 characters")
                                if data__spec__tenantClusterRef__namespace_len > 63:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantClusterRef.namespace must be shorter than or equal to 63 characters")
                                if not REGEX_PATTERNS['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'].search(data__spec__tenantClusterRef__namespace):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantClusterRef.namespace must match pattern ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
                        if data__spec__tenantClusterRef_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.tenantClusterRef must not contain "+str(data__spec__tenantClusterRef_keys)+" properties")
                if "type" in data__spec_keys:
                    data__spec_keys.remove("type")
                    data__spec__type = data__spec["type"]
                    if not isinstance(data__spec__type, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.type must be string")
                    if not (isinstance(data__spec__type, str) and data__spec__type == 'nodes' or isinstance(data__spec__type, str) and data__spec__type == 'loadbalancer'):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.type must be one of ['nodes', 'loadbalancer']")
                if "count" in data__spec_keys:
                    data__spec_keys.remove("count")
                    data__spec__count = data__spec["count"]
                    if not isinstance(data__spec__count, (int)) and not (isinstance(data__spec__count, float) and data__spec__count.is_integer()) or isinstance(data__spec__count, bool):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.count must be integer")
                    if isinstance(data__spec__count, (int, float, Decimal)) and not isinstance(data__spec__count, bool):
                        if data__spec__count < 1:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.count must be bigger than or equal to 1")
                        if data__spec__count > 2147483647:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.count must be smaller than or equal to 2147483647")
                if "pinnedRange" in data__spec_keys:
                    data__spec_keys.remove("pinnedRange")
                    data__spec__pinnedRange = data__spec["pinnedRange"]
                    if not isinstance(data__spec__pinnedRange, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.pinnedRange must be object")
                    data__spec__pinnedRange_is_dict = isinstance(data__spec__pinnedRange, dict)
                    if data__spec__pinnedRange_is_dict:
                        data__spec__pinnedRange__missing_keys = set(['startAddress', 'endAddress']) - data__spec__pinnedRange.keys()
                        if data__spec__pinnedRange__missing_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.pinnedRange must contain ")
                        data__spec__pinnedRange_keys = set(data__spec__pinnedRange.keys())
                        if "startAddress" in data__spec__pinnedRange_keys:
                            data__spec__pinnedRange_keys.remove("startAddress")
                            data__spec__pinnedRange__startAddress = data__spec__pinnedRange["startAddress"]
                            if not isinstance(data__spec__pinnedRange__startAddress, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.pinnedRange.startAddress must be string")
                            if isinstance(data__spec__pinnedRange__startAddress, str):
                                data__spec__pinnedRange__startAddress_len = len(data__spec__pinnedRange__startAddress)
                                if data__spec__pinnedRange__startAddress_len > 64:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.pinnedRange.startAddress must be shorter than or equal to 64 characters")
                        if "endAddress" in data__spec__pinnedRange_keys:
                            data__spec__pinnedRange_keys.remove("endAddress")
                            data__spec__pinnedRange__endAddress = data__spec__pinnedRange["endAddress"]
                            if not isinstance(data__spec__pinnedRange__endAddress, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.pinnedRange.endAddress must be string")
                            if isinstance(data__spec__pinnedRange__endAddress, str):
                                data__spec__pinnedRange__endAddress_len = len(data__spec__pinnedRange__endAddress)
                                if data__spec__pinnedRange__endAddress_len > 64:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.pinnedRange.endAddress must be shorter than or equal to 64 characters")
                        if data__spec__pinnedRange_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.pinnedRange must not contain "+str(data__spec__pinnedRange_keys)+" properties")
                if data__spec_keys:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec must not contain "+str(data__spec_keys)+" properties")
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties")
    return data

validate = validate_https___gitops_ipam_dev_schemas_butler_ipallocation_json
