"""What Cluster.v1beta1.json accepts. Do not edit: `make schemas` writes it by fastjsonschema."""

from decimal import Decimal
import re
from reconciler.documents.accepting import RefusedError as JsonSchemaValueException


REGEX_PATTERNS = {
    '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$': re.compile('^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?\\Z'),
    '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$': re.compile('^[a-z0-9]([-a-z0-9]*[a-z0-9])?\\Z')
}

NoneType = type(None)

def validate_https___gitops_ipam_dev_schemas_capi_cluster_v1beta1_json(data, custom_formats={}, name_prefix=None):
    if not isinstance(data, (dict)):
        raise JsonSchemaValueException("" + (name_prefix or "data") + " must be object")
    data_is_dict = isinstance(data, dict)
    if data_is_dict:
        data__missing_keys = set(['apiVersion', 'kind', 'metadata']) - data.keys()
        if data__missing_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must contain ")
        data_keys = set(data.keys())
        if "apiVersion" in data_keys:
            data_keys.remove("apiVersion")
            data__apiVersion = data["apiVersion"]
            if not (isinstance(data__apiVersion, str) and data__apiVersion == 'cluster.x-k8s.io/v1beta1'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".apiVersion must be one of ['cluster.x-k8s.io/v1beta1']")
        if "kind" in data_keys:
            data_keys.remove("kind")
            data__kind = data["kind"]
            if not (isinstance(data__kind, str) and data__kind == 'Cluster'):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".kind must be one of ['Cluster']")
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
                        if "vip.capi.gorizond.io/ingress-enabled" in data__metadata__annotations_keys:
                            data__metadata__annotations_keys.remove("vip.capi.gorizond.io/ingress-enabled")
                            data__metadata__annotations__vipcapigorizondioingressenabled = data__metadata__annotations["vip.capi.gorizond.io/ingress-enabled"]
                            if not isinstance(data__metadata__annotations__vipcapigorizondioingressenabled, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.annotations.vip.capi.gorizond.io/ingress-enabled must be string")
                        if "vip.capi.gorizond.io/ingress-vip" in data__metadata__annotations_keys:
                            data__metadata__annotations_keys.remove("vip.capi.gorizond.io/ingress-vip")
                            data__metadata__annotations__vipcapigorizondioingressvip = data__metadata__annotations["vip.capi.gorizond.io/ingress-vip"]
                            if not isinstance(data__metadata__annotations__vipcapigorizondioingressvip, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.annotations.vip.capi.gorizond.io/ingress-vip must be string")
                        if "cluster.x-k8s.io/paused" in data__metadata__annotations_keys:
                            data__metadata__annotations_keys.remove("cluster.x-k8s.io/paused")
                            data__metadata__annotations__clusterxk8siopaused = data__metadata__annotations["cluster.x-k8s.io/paused"]
                            if not isinstance(data__metadata__annotations__clusterxk8siopaused, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.annotations.cluster.x-k8s.io/paused must be string")
                        if "gitops-ipam.dev/adopt" in data__metadata__annotations_keys:
                            data__metadata__annotations_keys.remove("gitops-ipam.dev/adopt")
                            data__metadata__annotations__gitopsipamdevadopt = data__metadata__annotations["gitops-ipam.dev/adopt"]
                            if not isinstance(data__metadata__annotations__gitopsipamdevadopt, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.annotations.gitops-ipam.dev/adopt must be string")
                        for data__metadata__annotations_key in data__metadata__annotations_keys:
                            if data__metadata__annotations_key not in ['vip.capi.gorizond.io/ingress-enabled', 'vip.capi.gorizond.io/ingress-vip', 'cluster.x-k8s.io/paused', 'gitops-ipam.dev/adopt']:
                                data__metadata__annotations_value = data__metadata__annotations.get(data__metadata__annotations_key)
                                if not isinstance(data__metadata__annotations_value, (str)):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.annotations.{data__metadata__annotations_key}".format(**locals()) + " must be string")
                if "namespace" in data__metadata_keys:
                    data__metadata_keys.remove("namespace")
                    data__metadata__namespace = data__metadata["namespace"]
                    if not isinstance(data__metadata__namespace, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.namespace must be string")
                if "deletionTimestamp" in data__metadata_keys:
                    data__metadata_keys.remove("deletionTimestamp")
                    data__metadata__deletionTimestamp = data__metadata["deletionTimestamp"]
                    if not isinstance(data__metadata__deletionTimestamp, (str)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".metadata.deletionTimestamp must be string")
        if "spec" in data_keys:
            data_keys.remove("spec")
            data__spec = data["spec"]
            if not isinstance(data__spec, (dict)):
                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec must be object")
            data__spec_is_dict = isinstance(data__spec, dict)
            if data__spec_is_dict:
                data__spec_keys = set(data__spec.keys())
                if "paused" in data__spec_keys:
                    data__spec_keys.remove("paused")
                    data__spec__paused = data__spec["paused"]
                    if not isinstance(data__spec__paused, (bool)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.paused must be boolean")
                if "controlPlaneEndpoint" in data__spec_keys:
                    data__spec_keys.remove("controlPlaneEndpoint")
                    data__spec__controlPlaneEndpoint = data__spec["controlPlaneEndpoint"]
                    if not isinstance(data__spec__controlPlaneEndpoint, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.controlPlaneEndpoint must be object")
                    data__spec__controlPlaneEndpoint_is_dict = isinstance(data__spec__controlPlaneEndpoint, dict)
                    if data__spec__controlPlaneEndpoint_is_dict:
                        data__spec__controlPlaneEndpoint_keys = set(data__spec__controlPlaneEndpoint.keys())
                        if "host" in data__spec__controlPlaneEndpoint_keys:
                            data__spec__controlPlaneEndpoint_keys.remove("host")
                            data__spec__controlPlaneEndpoint__host = data__spec__controlPlaneEndpoint["host"]
                            if not isinstance(data__spec__controlPlaneEndpoint__host, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.controlPlaneEndpoint.host must be string")
                        if "port" in data__spec__controlPlaneEndpoint_keys:
                            data__spec__controlPlaneEndpoint_keys.remove("port")
                            data__spec__controlPlaneEndpoint__port = data__spec__controlPlaneEndpoint["port"]
                            if not isinstance(data__spec__controlPlaneEndpoint__port, (int)) and not (isinstance(data__spec__controlPlaneEndpoint__port, float) and data__spec__controlPlaneEndpoint__port.is_integer()) or isinstance(data__spec__controlPlaneEndpoint__port, bool):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.controlPlaneEndpoint.port must be integer")
                            if isinstance(data__spec__controlPlaneEndpoint__port, (int, float, Decimal)) and not isinstance(data__spec__controlPlaneEndpoint__port, bool):
                                if data__spec__controlPlaneEndpoint__port < 0:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.controlPlaneEndpoint.port must be bigger than or equal to 0")
                                if data__spec__controlPlaneEndpoint__port > 65535:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.controlPlaneEndpoint.port must be smaller than or equal to 65535")
                if "topology" in data__spec_keys:
                    data__spec_keys.remove("topology")
                    data__spec__topology = data__spec["topology"]
                    if not isinstance(data__spec__topology, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.topology must be object")
                    data__spec__topology_is_dict = isinstance(data__spec__topology, dict)
                    if data__spec__topology_is_dict:
                        data__spec__topology_keys = set(data__spec__topology.keys())
                        if "class" in data__spec__topology_keys:
                            data__spec__topology_keys.remove("class")
                            data__spec__topology__class = data__spec__topology["class"]
                            if not isinstance(data__spec__topology__class, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.topology.class must be string")
                        if "classNamespace" in data__spec__topology_keys:
                            data__spec__topology_keys.remove("classNamespace")
                            data__spec__topology__classNamespace = data__spec__topology["classNamespace"]
                            if not isinstance(data__spec__topology__classNamespace, (str)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.topology.classNamespace must be string")
                            if isinstance(data__spec__topology__classNamespace, str):
                                data__spec__topology__classNamespace_len = len(data__spec__topology__classNamespace)
                                if data__spec__topology__classNamespace_len < 1:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.topology.classNamespace must be longer than or equal to 1 characters")
                                if data__spec__topology__classNamespace_len > 63:
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.topology.classNamespace must be shorter than or equal to 63 characters")
                                if not REGEX_PATTERNS['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'].search(data__spec__topology__classNamespace):
                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.topology.classNamespace must match pattern ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
                        if "version" in data__spec__topology_keys:
                            data__spec__topology_keys.remove("version")
                            data__spec__topology__version = data__spec__topology["version"]
                        if "rolloutAfter" in data__spec__topology_keys:
                            data__spec__topology_keys.remove("rolloutAfter")
                            data__spec__topology__rolloutAfter = data__spec__topology["rolloutAfter"]
                        if "controlPlane" in data__spec__topology_keys:
                            data__spec__topology_keys.remove("controlPlane")
                            data__spec__topology__controlPlane = data__spec__topology["controlPlane"]
                        if "workers" in data__spec__topology_keys:
                            data__spec__topology_keys.remove("workers")
                            data__spec__topology__workers = data__spec__topology["workers"]
                        if "variables" in data__spec__topology_keys:
                            data__spec__topology_keys.remove("variables")
                            data__spec__topology__variables = data__spec__topology["variables"]
                            if not isinstance(data__spec__topology__variables, (list, tuple)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.topology.variables must be array")
                            data__spec__topology__variables_is_list = isinstance(data__spec__topology__variables, (list, tuple))
                            if data__spec__topology__variables_is_list:
                                data__spec__topology__variables_len = len(data__spec__topology__variables)
                                for data__spec__topology__variables_x, data__spec__topology__variables_item in enumerate(data__spec__topology__variables):
                                    if not isinstance(data__spec__topology__variables_item, (dict)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.topology.variables[{data__spec__topology__variables_x}]".format(**locals()) + " must be object")
                if "clusterNetwork" in data__spec_keys:
                    data__spec_keys.remove("clusterNetwork")
                    data__spec__clusterNetwork = data__spec["clusterNetwork"]
                    if not isinstance(data__spec__clusterNetwork, (dict)):
                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.clusterNetwork must be object")
                    data__spec__clusterNetwork_is_dict = isinstance(data__spec__clusterNetwork, dict)
                    if data__spec__clusterNetwork_is_dict:
                        data__spec__clusterNetwork_keys = set(data__spec__clusterNetwork.keys())
                        if "pods" in data__spec__clusterNetwork_keys:
                            data__spec__clusterNetwork_keys.remove("pods")
                            data__spec__clusterNetwork__pods = data__spec__clusterNetwork["pods"]
                            if not isinstance(data__spec__clusterNetwork__pods, (dict)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.clusterNetwork.pods must be object")
                            data__spec__clusterNetwork__pods_is_dict = isinstance(data__spec__clusterNetwork__pods, dict)
                            if data__spec__clusterNetwork__pods_is_dict:
                                data__spec__clusterNetwork__pods_keys = set(data__spec__clusterNetwork__pods.keys())
                                if "cidrBlocks" in data__spec__clusterNetwork__pods_keys:
                                    data__spec__clusterNetwork__pods_keys.remove("cidrBlocks")
                                    data__spec__clusterNetwork__pods__cidrBlocks = data__spec__clusterNetwork__pods["cidrBlocks"]
                                    if not isinstance(data__spec__clusterNetwork__pods__cidrBlocks, (list, tuple)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.clusterNetwork.pods.cidrBlocks must be array")
                                    data__spec__clusterNetwork__pods__cidrBlocks_is_list = isinstance(data__spec__clusterNetwork__pods__cidrBlocks, (list, tuple))
                                    if data__spec__clusterNetwork__pods__cidrBlocks_is_list:
                                        data__spec__clusterNetwork__pods__cidrBlocks_len = len(data__spec__clusterNetwork__pods__cidrBlocks)
                                        if data__spec__clusterNetwork__pods__cidrBlocks_len > 32:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.clusterNetwork.pods.cidrBlocks must contain less than or equal to 32 items")
                                        for data__spec__clusterNetwork__pods__cidrBlocks_x, data__spec__clusterNetwork__pods__cidrBlocks_item in enumerate(data__spec__clusterNetwork__pods__cidrBlocks):
                                            if not isinstance(data__spec__clusterNetwork__pods__cidrBlocks_item, (str)):
                                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.clusterNetwork.pods.cidrBlocks[{data__spec__clusterNetwork__pods__cidrBlocks_x}]".format(**locals()) + " must be string")
                                            if isinstance(data__spec__clusterNetwork__pods__cidrBlocks_item, str):
                                                data__spec__clusterNetwork__pods__cidrBlocks_item_len = len(data__spec__clusterNetwork__pods__cidrBlocks_item)
                                                if data__spec__clusterNetwork__pods__cidrBlocks_item_len > 64:
                                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.clusterNetwork.pods.cidrBlocks[{data__spec__clusterNetwork__pods__cidrBlocks_x}]".format(**locals()) + " must be shorter than or equal to 64 characters")
                        if "services" in data__spec__clusterNetwork_keys:
                            data__spec__clusterNetwork_keys.remove("services")
                            data__spec__clusterNetwork__services = data__spec__clusterNetwork["services"]
                            if not isinstance(data__spec__clusterNetwork__services, (dict)):
                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.clusterNetwork.services must be object")
                            data__spec__clusterNetwork__services_is_dict = isinstance(data__spec__clusterNetwork__services, dict)
                            if data__spec__clusterNetwork__services_is_dict:
                                data__spec__clusterNetwork__services_keys = set(data__spec__clusterNetwork__services.keys())
                                if "cidrBlocks" in data__spec__clusterNetwork__services_keys:
                                    data__spec__clusterNetwork__services_keys.remove("cidrBlocks")
                                    data__spec__clusterNetwork__services__cidrBlocks = data__spec__clusterNetwork__services["cidrBlocks"]
                                    if not isinstance(data__spec__clusterNetwork__services__cidrBlocks, (list, tuple)):
                                        raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.clusterNetwork.services.cidrBlocks must be array")
                                    data__spec__clusterNetwork__services__cidrBlocks_is_list = isinstance(data__spec__clusterNetwork__services__cidrBlocks, (list, tuple))
                                    if data__spec__clusterNetwork__services__cidrBlocks_is_list:
                                        data__spec__clusterNetwork__services__cidrBlocks_len = len(data__spec__clusterNetwork__services__cidrBlocks)
                                        if data__spec__clusterNetwork__services__cidrBlocks_len > 32:
                                            raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.clusterNetwork.services.cidrBlocks must contain less than or equal to 32 items")
                                        for data__spec__clusterNetwork__services__cidrBlocks_x, data__spec__clusterNetwork__services__cidrBlocks_item in enumerate(data__spec__clusterNetwork__services__cidrBlocks):
                                            if not isinstance(data__spec__clusterNetwork__services__cidrBlocks_item, (str)):
                                                raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.clusterNetwork.services.cidrBlocks[{data__spec__clusterNetwork__services__cidrBlocks_x}]".format(**locals()) + " must be string")
                                            if isinstance(data__spec__clusterNetwork__services__cidrBlocks_item, str):
                                                data__spec__clusterNetwork__services__cidrBlocks_item_len = len(data__spec__clusterNetwork__services__cidrBlocks_item)
                                                if data__spec__clusterNetwork__services__cidrBlocks_item_len > 64:
                                                    raise JsonSchemaValueException("" + (name_prefix or "data") + ".spec.clusterNetwork.services.cidrBlocks[{data__spec__clusterNetwork__services__cidrBlocks_x}]".format(**locals()) + " must be shorter than or equal to 64 characters")
                if "controlPlaneRef" in data__spec_keys:
                    data__spec_keys.remove("controlPlaneRef")
                    data__spec__controlPlaneRef = data__spec["controlPlaneRef"]
                if "infrastructureRef" in data__spec_keys:
                    data__spec_keys.remove("infrastructureRef")
                    data__spec__infrastructureRef = data__spec["infrastructureRef"]
        if data_keys:
            raise JsonSchemaValueException("" + (name_prefix or "data") + " must not contain "+str(data_keys)+" properties")
    return data

validate = validate_https___gitops_ipam_dev_schemas_capi_cluster_v1beta1_json
