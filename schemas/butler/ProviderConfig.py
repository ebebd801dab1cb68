"""What ProviderConfig.json accepts. Do not edit: `make schemas` writes it by fastjsonschema."""

from decimal import Decimal
import re
from reconciler.documents.accepting import RefusedError as JsonSchemaValueException


REGEX_PATTERNS = {
    '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$': re.compile('^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?\\Z'),
    '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$': re.compile('^[a-z0-9]([-a-z0-9]*[a-z0-9])?\\Z')
}

NoneType = type(None)

def validate_https___gitops_ipam_dev_schemas_butler_providerconfig_json(data, custom_formats={}, name_prefix=None):
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
            if not (isinstance(data__kind, str) and data__kind == 'ProviderConfig'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".kind must be one of ['ProviderConfig']")
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
                data__spec_keys = set(data__spec.keys())
                if "provider" in data__spec_keys:
                    data__spec_keys.remove("provider")
                    data__spec__provider = data__spec["provider"]
                    if not isinstance(data__spec__provider, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.provider must be string")
                    if not (isinstance(data__spec__provider, str) and data__spec__provider == 'harvester' or isinstance(data__spec__provider, str) and data__spec__provider == 'nutanix' or isinstance(data__spec__provider, str) and data__spec__provider == 'proxmox' or isinstance(data__spec__provider, str) and data__spec__provider == 'azure' or isinstance(data__spec__provider, str) and data__spec__provider == 'aws' or isinstance(data__spec__provider, str) and data__spec__provider == 'gcp' or isinstance(data__spec__provider, str) and data__spec__provider == 'local'):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.provider must be one of ['harvester', 'nutanix', 'proxmox', 'azure', 'aws', 'gcp', 'local']")
                if "credentialsRef" in data__spec_keys:
                    data__spec_keys.remove("credentialsRef")
                    data__spec__credentialsRef = data__spec["credentialsRef"]
                    if not isinstance(data__spec__credentialsRef, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.credentialsRef must be object")
                if "harvester" in data__spec_keys:
                    data__spec_keys.remove("harvester")
                    data__spec__harvester = data__spec["harvester"]
                    if not isinstance(data__spec__harvester, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.harvester must be object")
                if "nutanix" in data__spec_keys:
                    data__spec_keys.remove("nutanix")
                    data__spec__nutanix = data__spec["nutanix"]
                    if not isinstance(data__spec__nutanix, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.nutanix must be object")
                if "proxmox" in data__spec_keys:
                    data__spec_keys.remove("proxmox")
                    data__spec__proxmox = data__spec["proxmox"]
                    if not isinstance(data__spec__proxmox, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.proxmox must be object")
                if "azure" in data__spec_keys:
                    data__spec_keys.remove("azure")
                    data__spec__azure = data__spec["azure"]
                    if not isinstance(data__spec__azure, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.azure must be object")
                if "aws" in data__spec_keys:
                    data__spec_keys.remove("aws")
                    data__spec__aws = data__spec["aws"]
                    if not isinstance(data__spec__aws, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.aws must be object")
                if "gcp" in data__spec_keys:
                    data__spec_keys.remove("gcp")
                    data__spec__gcp = data__spec["gcp"]
                    if not isinstance(data__spec__gcp, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.gcp must be object")
                if "scope" in data__spec_keys:
                    data__spec_keys.remove("scope")
                    data__spec__scope = data__spec["scope"]
                    if not isinstance(data__spec__scope, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.scope must be object")
                    data__spec__scope_is_dict = isinstance(data__spec__scope, dict)
                    if data__spec__scope_is_dict:
                        data__spec__scope_keys = set(data__spec__scope.keys())
                        if "type" in data__spec__scope_keys:
                            data__spec__scope_keys.remove("type")
                            data__spec__scope__type = data__spec__scope["type"]
                            if not isinstance(data__spec__scope__type, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.scope.type must be string")
                            if not (isinstance(data__spec__scope__type, str) and data__spec__scope__type == 'platform' or isinstance(data__spec__scope__type, str) and data__spec__scope__type == 'team'):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.scope.type must be one of ['platform', 'team']")
                        if "teamRef" in data__spec__scope_keys:
                            data__spec__scope_keys.remove("teamRef")
                            data__spec__scope__teamRef = data__spec__scope["teamRef"]
                            if not isinstance(data__spec__scope__teamRef, (dict)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.scope.teamRef must be object")
                            data__spec__scope__teamRef_is_dict = isinstance(data__spec__scope__teamRef, dict)
                            if data__spec__scope__teamRef_is_dict:
                                data__spec__scope__teamRef__missing_keys = set(['name']) - data__spec__scope__teamRef.keys()
                                if data__spec__scope__teamRef__missing_keys:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.scope.teamRef must contain ")
                                data__spec__scope__teamRef_keys = set(data__spec__scope__teamRef.keys())
                                if "name" in data__spec__scope__teamRef_keys:
                                    data__spec__scope__teamRef_keys.remove("name")
                                    data__spec__scope__teamRef__name = data__spec__scope__teamRef["name"]
                                    if not isinstance(data__spec__scope__teamRef__name, (str)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.scope.teamRef.name must be string")
                                    if isinstance(data__spec__scope__teamRef__name, str):
                                        data__spec__scope__teamRef__name_len = len(data__spec__scope__teamRef__name)
                                        if data__spec__scope__teamRef__name_len < 1:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.scope.teamRef.name must be longer than or equal to 1 characters")
                                        if data__spec__scope__teamRef__name_len > 63:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.scope.teamRef.name must be shorter than or equal to 63 characters")
                                        if not REGEX_PATTERNS['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'].search(data__spec__scope__teamRef__name):
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.scope.teamRef.name must match pattern ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
                                if data__spec__scope__teamRef_keys:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.scope.teamRef must not contain "+str(data__spec__scope__teamRef_keys)+" properties")
                        if data__spec__scope_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.scope must not contain "+str(data__spec__scope_keys)+" properties")
                if "network" in data__spec_keys:
                    data__spec_keys.remove("network")
                    data__spec__network = data__spec["network"]
                    if not isinstance(data__spec__network, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network must be object")
                    data__spec__network_is_dict = isinstance(data__spec__network, dict)
                    if data__spec__network_is_dict:
                        data__spec__network_keys = set(data__spec__network.keys())
                        if "mode" in data__spec__network_keys:
                            data__spec__network_keys.remove("mode")
                            data__spec__network__mode = data__spec__network["mode"]
                            if not isinstance(data__spec__network__mode, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.mode must be string")
                            if not (isinstance(data__spec__network__mode, str) and data__spec__network__mode == 'ipam' or isinstance(data__spec__network__mode, str) and data__spec__network__mode == 'cloud'):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.mode must be one of ['ipam', 'cloud']")
                        if "poolRefs" in data__spec__network_keys:
                            data__spec__network_keys.remove("poolRefs")
                            data__spec__network__poolRefs = data__spec__network["poolRefs"]
                            if not isinstance(data__spec__network__poolRefs, (list, tuple)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.poolRefs must be array")
                            data__spec__network__poolRefs_is_list = isinstance(data__spec__network__poolRefs, (list, tuple))
                            if data__spec__network__poolRefs_is_list:
                                data__spec__network__poolRefs_len = len(data__spec__network__poolRefs)
                                for data__spec__network__poolRefs_x, data__spec__network__poolRefs_item in enumerate(data__spec__network__poolRefs):
                                    if not isinstance(data__spec__network__poolRefs_item, (dict)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.poolRefs[{data__spec__network__poolRefs_x}]".format(**locals()) + " must be object")
                                    data__spec__network__poolRefs_item_is_dict = isinstance(data__spec__network__poolRefs_item, dict)
                                    if data__spec__network__poolRefs_item_is_dict:
                                        data__spec__network__poolRefs_item__missing_keys = set(['name']) - data__spec__network__poolRefs_item.keys()
                                        if data__spec__network__poolRefs_item__missing_keys:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.poolRefs[{data__spec__network__poolRefs_x}]".format(**locals()) + " must contain ")
                                        data__spec__network__poolRefs_item_keys = set(data__spec__network__poolRefs_item.keys())
                                        if "name" in data__spec__network__poolRefs_item_keys:
                                            data__spec__network__poolRefs_item_keys.remove("name")
                                            data__spec__network__poolRefs_item__name = data__spec__network__poolRefs_item["name"]
                                            if not isinstance(data__spec__network__poolRefs_item__name, (str)):
                                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.poolRefs[{data__spec__network__poolRefs_x}].name".format(**locals()) + " must be string")
                                            if isinstance(data__spec__network__poolRefs_item__name, str):
                                                data__spec__network__poolRefs_item__name_len = len(data__spec__network__poolRefs_item__name)
                                                if data__spec__network__poolRefs_item__name_len < 1:
                                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.poolRefs[{data__spec__network__poolRefs_x}].name".format(**locals()) + " must be longer than or equal to 1 characters")
                                                if data__spec__network__poolRefs_item__name_len > 63:
                                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.poolRefs[{data__spec__network__poolRefs_x}].name".format(**locals()) + " must be shorter than or equal to 63 characters")
                                                if not REGEX_PATTERNS['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'].search(data__spec__network__poolRefs_item__name):
                                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.poolRefs[{data__spec__network__poolRefs_x}].name".format(**locals()) + " must match pattern ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
                                        if "priority" in data__spec__network__poolRefs_item_keys:
                                            data__spec__network__poolRefs_item_keys.remove("priority")
                                            data__spec__network__poolRefs_item__priority = data__spec__network__poolRefs_item["priority"]
                                            if not isinstance(data__spec__network__poolRefs_item__priority, (int)) and not (isinstance(data__spec__network__poolRefs_item__priority, float) and data__spec__network__poolRefs_item__priority.is_integer()) or isinstance(data__spec__network__poolRefs_item__priority, bool):
                                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.poolRefs[{data__spec__network__poolRefs_x}].priority".format(**locals()) + " must be integer")
                                            if isinstance(data__spec__network__poolRefs_item__priority, (int, float, Decimal)) and not isinstance(data__spec__network__poolRefs_item__priority, bool):
                                                if data__spec__network__poolRefs_item__priority < -2147483648:
                                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.poolRefs[{data__spec__network__poolRefs_x}].priority".format(**locals()) + " must be bigger than or equal to -2147483648")
                                                if data__spec__network__poolRefs_item__priority > 2147483647:
                                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.poolRefs[{data__spec__network__poolRefs_x}].priority".format(**locals()) + " must be smaller than or equal to 2147483647")
                                        if data__spec__network__poolRefs_item_keys:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.poolRefs[{data__spec__network__poolRefs_x}]".format(**locals()) + " must not contain "+str(data__spec__network__poolRefs_item_keys)+" properties")
                        if "subnet" in data__spec__network_keys:
                            data__spec__network_keys.remove("subnet")
                            data__spec__network__subnet = data__spec__network["subnet"]
                            if not isinstance(data__spec__network__subnet, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.subnet must be string")
                            if isinstance(data__spec__network__subnet, str):
                                data__spec__network__subnet_len = len(data__spec__network__subnet)
                                if data__spec__network__subnet_len > 253:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.subnet must be shorter than or equal to 253 characters")
                        if "gateway" in data__spec__network_keys:
                            data__spec__network_keys.remove("gateway")
                            data__spec__network__gateway = data__spec__network["gateway"]
                            if not isinstance(data__spec__network__gateway, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.gateway must be string")
                            if isinstance(data__spec__network__gateway, str):
                                data__spec__network__gateway_len = len(data__spec__network__gateway)
                                if data__spec__network__gateway_len > 64:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.gateway must be shorter than or equal to 64 characters")
                        if "dnsServers" in data__spec__network_keys:
                            data__spec__network_keys.remove("dnsServers")
                            data__spec__network__dnsServers = data__spec__network["dnsServers"]
                            if not isinstance(data__spec__network__dnsServers, (list, tuple)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.dnsServers must be array")
                            data__spec__network__dnsServers_is_list = isinstance(data__spec__network__dnsServers, (list, tuple))
                            if data__spec__network__dnsServers_is_list:
                                data__spec__network__dnsServers_len = len(data__spec__network__dnsServers)
                                for data__spec__network__dnsServers_x, data__spec__network__dnsServers_item in enumerate(data__spec__network__dnsServers):
                                    if not isinstance(data__spec__network__dnsServers_item, (str)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.dnsServers[{data__spec__network__dnsServers_x}]".format(**locals()) + " must be string")
                                    if isinstance(data__spec__network__dnsServers_item, str):
                                        data__spec__network__dnsServers_item_len = len(data__spec__network__dnsServers_item)
                                        if data__spec__network__dnsServers_item_len > 253:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.dnsServers[{data__spec__network__dnsServers_x}]".format(**locals()) + " must be shorter than or equal to 253 characters")
                        if "timeServers" in data__spec__network_keys:
                            data__spec__network_keys.remove("timeServers")
                            data__spec__network__timeServers = data__spec__network["timeServers"]
                            if not isinstance(data__spec__network__timeServers, (list, tuple)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.timeServers must be array")
                            data__spec__network__timeServers_is_list = isinstance(data__spec__network__timeServers, (list, tuple))
                            if data__spec__network__timeServers_is_list:
                                data__spec__network__timeServers_len = len(data__spec__network__timeServers)
                                for data__spec__network__timeServers_x, data__spec__network__timeServers_item in enumerate(data__spec__network__timeServers):
                                    if not isinstance(data__spec__network__timeServers_item, (str)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.timeServers[{data__spec__network__timeServers_x}]".format(**locals()) + " must be string")
                                    if isinstance(data__spec__network__timeServers_item, str):
                                        data__spec__network__timeServers_item_len = len(data__spec__network__timeServers_item)
                                        if data__spec__network__timeServers_item_len > 253:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.timeServers[{data__spec__network__timeServers_x}]".format(**locals()) + " must be shorter than or equal to 253 characters")
                        if "loadBalancer" in data__spec__network_keys:
                            data__spec__network_keys.remove("loadBalancer")
                            data__spec__network__loadBalancer = data__spec__network["loadBalancer"]
                            if not isinstance(data__spec__network__loadBalancer, (dict)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.loadBalancer must be object")
                            data__spec__network__loadBalancer_is_dict = isinstance(data__spec__network__loadBalancer, dict)
                            if data__spec__network__loadBalancer_is_dict:
                                data__spec__network__loadBalancer_keys = set(data__spec__network__loadBalancer.keys())
                                if "allocationMode" in data__spec__network__loadBalancer_keys:
                                    data__spec__network__loadBalancer_keys.remove("allocationMode")
                                    data__spec__network__loadBalancer__allocationMode = data__spec__network__loadBalancer["allocationMode"]
                                    if not isinstance(data__spec__network__loadBalancer__allocationMode, (str)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.loadBalancer.allocationMode must be string")
                                    if not (isinstance(data__spec__network__loadBalancer__allocationMode, str) and data__spec__network__loadBalancer__allocationMode == 'static' or isinstance(data__spec__network__loadBalancer__allocationMode, str) and data__spec__network__loadBalancer__allocationMode == 'elastic'):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.loadBalancer.allocationMode must be one of ['static', 'elastic']")
                                if "defaultPoolSize" in data__spec__network__loadBalancer_keys:
                                    data__spec__network__loadBalancer_keys.remove("defaultPoolSize")
                                    data__spec__network__loadBalancer__defaultPoolSize = data__spec__network__loadBalancer["defaultPoolSize"]
                                    if not isinstance(data__spec__network__loadBalancer__defaultPoolSize, (int)) and not (isinstance(data__spec__network__loadBalancer__defaultPoolSize, float) and data__spec__network__loadBalancer__defaultPoolSize.is_integer()) or isinstance(data__spec__network__loadBalancer__defaultPoolSize, bool):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.loadBalancer.defaultPoolSize must be integer")
                                    if isinstance(data__spec__network__loadBalancer__defaultPoolSize, (int, float, Decimal)) and not isinstance(data__spec__network__loadBalancer__defaultPoolSize, bool):
                                        if data__spec__network__loadBalancer__defaultPoolSize < 1:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.loadBalancer.defaultPoolSize must be bigger than or equal to 1")
                                        if data__spec__network__loadBalancer__defaultPoolSize > 2147483647:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.loadBalancer.defaultPoolSize must be smaller than or equal to 2147483647")
                                if "initialPoolSize" in data__spec__network__loadBalancer_keys:
                                    data__spec__network__loadBalancer_keys.remove("initialPoolSize")
                                    data__spec__network__loadBalancer__initialPoolSize = data__spec__network__loadBalancer["initialPoolSize"]
                                    if not isinstance(data__spec__network__loadBalancer__initialPoolSize, (int)) and not (isinstance(data__spec__network__loadBalancer__initialPoolSize, float) and data__spec__network__loadBalancer__initialPoolSize.is_integer()) or isinstance(data__spec__network__loadBalancer__initialPoolSize, bool):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.loadBalancer.initialPoolSize must be integer")
                                    if isinstance(data__spec__network__loadBalancer__initialPoolSize, (int, float, Decimal)) and not isinstance(data__spec__network__loadBalancer__initialPoolSize, bool):
                                        if data__spec__network__loadBalancer__initialPoolSize < 1:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.loadBalancer.initialPoolSize must be bigger than or equal to 1")
                                        if data__spec__network__loadBalancer__initialPoolSize > 2147483647:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.loadBalancer.initialPoolSize must be smaller than or equal to 2147483647")
                                if "growthIncrement" in data__spec__network__loadBalancer_keys:
                                    data__spec__network__loadBalancer_keys.remove("growthIncrement")
                                    data__spec__network__loadBalancer__growthIncrement = data__spec__network__loadBalancer["growthIncrement"]
                                    if not isinstance(data__spec__network__loadBalancer__growthIncrement, (int)) and not (isinstance(data__spec__network__loadBalancer__growthIncrement, float) and data__spec__network__loadBalancer__growthIncrement.is_integer()) or isinstance(data__spec__network__loadBalancer__growthIncrement, bool):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.loadBalancer.growthIncrement must be integer")
                                    if isinstance(data__spec__network__loadBalancer__growthIncrement, (int, float, Decimal)) and not isinstance(data__spec__network__loadBalancer__growthIncrement, bool):
                                        if data__spec__network__loadBalancer__growthIncrement < 1:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.loadBalancer.growthIncrement must be bigger than or equal to 1")
                                        if data__spec__network__loadBalancer__growthIncrement > 2147483647:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.loadBalancer.growthIncrement must be smaller than or equal to 2147483647")
                                if data__spec__network__loadBalancer_keys:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.loadBalancer must not contain "+str(data__spec__network__loadBalancer_keys)+" properties")
                        if "quotaPerTenant" in data__spec__network_keys:
                            data__spec__network_keys.remove("quotaPerTenant")
                            data__spec__network__quotaPerTenant = data__spec__network["quotaPerTenant"]
                            if not isinstance(data__spec__network__quotaPerTenant, (dict)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.quotaPerTenant must be object")
                            data__spec__network__quotaPerTenant_is_dict = isinstance(data__spec__network__quotaPerTenant, dict)
                            if data__spec__network__quotaPerTenant_is_dict:
                                data__spec__network__quotaPerTenant_keys = set(data__spec__network__quotaPerTenant.keys())
                                if "maxNodeIPs" in data__spec__network__quotaPerTenant_keys:
                                    data__spec__network__quotaPerTenant_keys.remove("maxNodeIPs")
                                    data__spec__network__quotaPerTenant__maxNodeIPs = data__spec__network__quotaPerTenant["maxNodeIPs"]
                                    if not isinstance(data__spec__network__quotaPerTenant__maxNodeIPs, (int)) and not (isinstance(data__spec__network__quotaPerTenant__maxNodeIPs, float) and data__spec__network__quotaPerTenant__maxNodeIPs.is_integer()) or isinstance(data__spec__network__quotaPerTenant__maxNodeIPs, bool):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.quotaPerTenant.maxNodeIPs must be integer")
                                    if isinstance(data__spec__network__quotaPerTenant__maxNodeIPs, (int, float, Decimal)) and not isinstance(data__spec__network__quotaPerTenant__maxNodeIPs, bool):
                                        if data__spec__network__quotaPerTenant__maxNodeIPs < 1:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.quotaPerTenant.maxNodeIPs must be bigger than or equal to 1")
                                        if data__spec__network__quotaPerTenant__maxNodeIPs > 2147483647:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.quotaPerTenant.maxNodeIPs must be smaller than or equal to 2147483647")
                                if "maxLoadBalancerIPs" in data__spec__network__quotaPerTenant_keys:
                                    data__spec__network__quotaPerTenant_keys.remove("maxLoadBalancerIPs")
                                    data__spec__network__quotaPerTenant__maxLoadBalancerIPs = data__spec__network__quotaPerTenant["maxLoadBalancerIPs"]
                                    if not isinstance(data__spec__network__quotaPerTenant__maxLoadBalancerIPs, (int)) and not (isinstance(data__spec__network__quotaPerTenant__maxLoadBalancerIPs, float) and data__spec__network__quotaPerTenant__maxLoadBalancerIPs.is_integer()) or isinstance(data__spec__network__quotaPerTenant__maxLoadBalancerIPs, bool):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.quotaPerTenant.maxLoadBalancerIPs must be integer")
                                    if isinstance(data__spec__network__quotaPerTenant__maxLoadBalancerIPs, (int, float, Decimal)) and not isinstance(data__spec__network__quotaPerTenant__maxLoadBalancerIPs, bool):
                                        if data__spec__network__quotaPerTenant__maxLoadBalancerIPs < 1:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.quotaPerTenant.maxLoadBalancerIPs must be bigger than or equal to 1")
                                        if data__spec__network__quotaPerTenant__maxLoadBalancerIPs > 2147483647:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.quotaPerTenant.maxLoadBalancerIPs must be smaller than or equal to 2147483647")
                                if data__spec__network__quotaPerTenant_keys:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network.quotaPerTenant must not contain "+str(data__spec__network__quotaPerTenant_keys)+" properties")
                        if data__spec__network_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.network must not contain "+str(data__spec__network_keys)+" properties")
                if "limits" in data__spec_keys:
                    data__spec_keys.remove("limits")
                    data__spec__limits = data__spec["limits"]
                    if not isinstance(data__spec__limits, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.limits must be object")
                    data__spec__limits_is_dict = isinstance(data__spec__limits, dict)
                    if data__spec__limits_is_dict:
                        data__spec__limits_keys = set(data__spec__limits.keys())
                        if "maxClustersPerTeam" in data__spec__limits_keys:
                            data__spec__limits_keys.remove("maxClustersPerTeam")
                            data__spec__limits__maxClustersPerTeam = data__spec__limits["maxClustersPerTeam"]
                            if not isinstance(data__spec__limits__maxClustersPerTeam, (int)) and not (isinstance(data__spec__limits__maxClustersPerTeam, float) and data__spec__limits__maxClustersPerTeam.is_integer()) or isinstance(data__spec__limits__maxClustersPerTeam, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.limits.maxClustersPerTeam must be integer")
                            if isinstance(data__spec__limits__maxClustersPerTeam, (int, float, Decimal)) and not isinstance(data__spec__limits__maxClustersPerTeam, bool):
                                if data__spec__limits__maxClustersPerTeam < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.limits.maxClustersPerTeam must be bigger than or equal to 1")
                                if data__spec__limits__maxClustersPerTeam > 2147483647:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.limits.maxClustersPerTeam must be smaller than or equal to 2147483647")
                        if "maxNodesPerTeam" in data__spec__limits_keys:
                            data__spec__limits_keys.remove("maxNodesPerTeam")
                            data__spec__limits__maxNodesPerTeam = data__spec__limits["maxNodesPerTeam"]
                            if not isinstance(data__spec__limits__maxNodesPerTeam, (int)) and not (isinstance(data__spec__limits__maxNodesPerTeam, float) and data__spec__limits__maxNodesPerTeam.is_integer()) or isinstance(data__spec__limits__maxNodesPerTeam, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.limits.maxNodesPerTeam must be integer")
                            if isinstance(data__spec__limits__maxNodesPerTeam, (int, float, Decimal)) and not isinstance(data__spec__limits__maxNodesPerTeam, bool):
                                if data__spec__limits__maxNodesPerTeam < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.limits.maxNodesPerTeam must be bigger than or equal to 1")
                                if data__spec__limits__maxNodesPerTeam > 2147483647:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.limits.maxNodesPerTeam must be smaller than or equal to 2147483647")
                        if data__spec__limits_keys:
                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.limits must not contain "+str(data__spec__limits_keys)+" properties")
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties")
    return data

validate = validate_https___gitops_ipam_dev_schemas_butler_providerconfig_json
