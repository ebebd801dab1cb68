"""What Demand.json accepts. Do not edit: `make schemas` writes it by fastjsonschema."""

from decimal import Decimal
from reconciler.documents.accepting import RefusedError as JsonSchemaValueException


NoneType = type(None)

def validate_https___gitops_ipam_dev_schemas_own_demand_json(data, custom_formats={}, name_prefix=None):
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
            if not (isinstance(data__apiVersion, str) and data__apiVersion == 'gitops-ipam.dev/v1alpha1'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".apiVersion must be one of ['gitops-ipam.dev/v1alpha1']")
        if "kind" in data_keys:
            data_keys.remove("kind")
            data__kind = data["kind"]
            if not (isinstance(data__kind, str) and data__kind == 'Demand'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".kind must be one of ['Demand']")
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
                data__spec__missing_keys = set(['loadBalancer']) - data__spec.keys()
                if data__spec__missing_keys:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec must contain ")
                data__spec_keys = set(data__spec.keys())
                if "loadBalancer" in data__spec_keys:
                    data__spec_keys.remove("loadBalancer")
                    data__spec__loadBalancer = data__spec["loadBalancer"]
                    if not isinstance(data__spec__loadBalancer, (list, tuple)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.loadBalancer must be array")
                    data__spec__loadBalancer_is_list = isinstance(data__spec__loadBalancer, (list, tuple))
                    if data__spec__loadBalancer_is_list:
                        data__spec__loadBalancer_len = len(data__spec__loadBalancer)
                        if data__spec__loadBalancer_len > 1024:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.loadBalancer must contain less than or equal to 1024 items")
                        for data__spec__loadBalancer_x, data__spec__loadBalancer_item in enumerate(data__spec__loadBalancer):
                            if not isinstance(data__spec__loadBalancer_item, (dict)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.loadBalancer[{data__spec__loadBalancer_x}]".format(**locals()) + " must be object")
                            data__spec__loadBalancer_item_is_dict = isinstance(data__spec__loadBalancer_item, dict)
                            if data__spec__loadBalancer_item_is_dict:
                                data__spec__loadBalancer_item__missing_keys = set(['index', 'count']) - data__spec__loadBalancer_item.keys()
                                if data__spec__loadBalancer_item__missing_keys:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.loadBalancer[{data__spec__loadBalancer_x}]".format(**locals()) + " must contain ")
                                data__spec__loadBalancer_item_keys = set(data__spec__loadBalancer_item.keys())
                                if "index" in data__spec__loadBalancer_item_keys:
                                    data__spec__loadBalancer_item_keys.remove("index")
                                    data__spec__loadBalancer_item__index = data__spec__loadBalancer_item["index"]
                                    if not isinstance(data__spec__loadBalancer_item__index, (int)) and not (isinstance(data__spec__loadBalancer_item__index, float) and data__spec__loadBalancer_item__index.is_integer()) or isinstance(data__spec__loadBalancer_item__index, bool):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.loadBalancer[{data__spec__loadBalancer_x}].index".format(**locals()) + " must be integer")
                                    if isinstance(data__spec__loadBalancer_item__index, (int, float, Decimal)) and not isinstance(data__spec__loadBalancer_item__index, bool):
                                        if data__spec__loadBalancer_item__index < 1:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.loadBalancer[{data__spec__loadBalancer_x}].index".format(**locals()) + " must be bigger than or equal to 1")
                                        if data__spec__loadBalancer_item__index > 999999:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.loadBalancer[{data__spec__loadBalancer_x}].index".format(**locals()) + " must be smaller than or equal to 999999")
                                if "count" in data__spec__loadBalancer_item_keys:
                                    data__spec__loadBalancer_item_keys.remove("count")
                                    data__spec__loadBalancer_item__count = data__spec__loadBalancer_item["count"]
                                    if not isinstance(data__spec__loadBalancer_item__count, (int)) and not (isinstance(data__spec__loadBalancer_item__count, float) and data__spec__loadBalancer_item__count.is_integer()) or isinstance(data__spec__loadBalancer_item__count, bool):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.loadBalancer[{data__spec__loadBalancer_x}].count".format(**locals()) + " must be integer")
                                    if isinstance(data__spec__loadBalancer_item__count, (int, float, Decimal)) and not isinstance(data__spec__loadBalancer_item__count, bool):
                                        if data__spec__loadBalancer_item__count < 1:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.loadBalancer[{data__spec__loadBalancer_x}].count".format(**locals()) + " must be bigger than or equal to 1")
                                        if data__spec__loadBalancer_item__count > 65536:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.loadBalancer[{data__spec__loadBalancer_x}].count".format(**locals()) + " must be smaller than or equal to 65536")
                                if data__spec__loadBalancer_item_keys:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.loadBalancer[{data__spec__loadBalancer_x}]".format(**locals()) + " must not contain "+str(data__spec__loadBalancer_item_keys)+" properties")
                if data__spec_keys:
                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec must not contain "+str(data__spec_keys)+" properties")
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties")
    return data

validate = validate_https___gitops_ipam_dev_schemas_own_demand_json
