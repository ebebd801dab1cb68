// Cilium's LB-IPAM by itself: the controller that its operator runs, without the operator.
package main

import (
	"log/slog"
	"os"

	"github.com/cilium/hive/cell"
	"github.com/spf13/pflag"
	"k8s.io/client-go/util/workqueue"

	"github.com/cilium/cilium/operator/pkg/lbipam"
	"github.com/cilium/cilium/pkg/hive"
	"github.com/cilium/cilium/pkg/k8s"
	cilium "github.com/cilium/cilium/pkg/k8s/apis/cilium.io/v2"
	"github.com/cilium/cilium/pkg/k8s/client"
	"github.com/cilium/cilium/pkg/k8s/resource"
	"github.com/cilium/cilium/pkg/k8s/utils"
	"github.com/cilium/cilium/pkg/option"
)

type pool = *cilium.CiliumLoadBalancerIPPool

// As in operator/k8s, which cannot be imported: one of its modules is not served.
func pools(lc cell.Lifecycle, cs client.Clientset, mp workqueue.MetricsProvider) resource.Resource[pool] {
	listed := utils.ListerWatcherFromTyped(cs.CiliumV2().CiliumLoadBalancerIPPools())
	return resource.New[pool](lc, listed, mp, resource.WithMetric("CiliumLoadBalancerIPPool"))
}

func main() {
	option.Config.EnableIPv4, option.Config.EnableIPv6 = true, true
	all := hive.New(
		lbipam.Cell,
		client.Cell,
		cell.Provide(func() *option.DaemonConfig { return option.Config }),
		cell.Provide(k8s.DefaultServiceWatchConfig),
		cell.Config(k8s.DefaultConfig),
		cell.Provide(k8s.ServiceResource, pools),
	)
	all.RegisterFlags(pflag.CommandLine)
	pflag.Parse()
	if err := all.Run(slog.New(slog.NewTextHandler(os.Stderr, nil))); err != nil {
		slog.Error("it ended", "error", err)
		os.Exit(1)
	}
}
