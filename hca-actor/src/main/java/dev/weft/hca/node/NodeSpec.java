package dev.weft.hca.node;

import akka.actor.typed.ActorRef;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.Props;
import com.typesafe.config.Config;
import dev.weft.fabric.node.Directory;
import dev.weft.fabric.node.MulticastGroups;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.fabric.switching.SwitchSettings;
import dev.weft.fabric.time.FabricContext;
import dev.weft.hca.cm.CmSettings;
import dev.weft.hca.verbs.HcaSettings;
import dev.weft.hca.verbs.ReceiveContexts;
import java.util.function.BooleanSupplier;

/**
 * What all nodes of one JVM have in common.
 *
 * @param fabric clock, timers, randomness
 * @param directory who is on the fabric
 * @param groups multicast groups of the fabric
 * @param leafSwitch the switch that nodes are cabled to
 * @param hardwareDispatcher where hardware actors run
 * @param onHardwareThread whether the calling thread runs the hardware actors now
 * @param contexts runs completion handlers
 * @param roles runs roles
 * @param hca settings of each HCA
 * @param cm settings of each connection manager
 * @param virtualLanes lanes of each link
 * @param pathMtuMaxBytes largest path MTU that all links carry, a power of two
 */
public record NodeSpec(
    FabricContext fabric,
    Directory directory,
    MulticastGroups groups,
    ActorRef<SwitchActor.Command> leafSwitch,
    DispatcherSelector hardwareDispatcher,
    BooleanSupplier onHardwareThread,
    ReceiveContexts contexts,
    RoleDispatchers roles,
    HcaSettings hca,
    CmSettings cm,
    int virtualLanes,
    int pathMtuMaxBytes) {

  /** Reads the settings from {@code config}. */
  public static NodeSpec of(Config config, FabricContext fabric, Directory directory, MulticastGroups groups,
      ActorRef<SwitchActor.Command> leafSwitch, DispatcherSelector dispatcher, BooleanSupplier onHardwareThread,
      ReceiveContexts contexts, int linkMtuMax) {
    HcaSettings hca = HcaSettings.from(config);
    int pathMtu = Integer.highestOneBit(Math.min(hca.pathMtuMaxBytes(), linkMtuMax));
    return new NodeSpec(fabric, directory, groups, leafSwitch, dispatcher, onHardwareThread, contexts, RoleContext::props, hca,
        CmSettings.from(config), SwitchSettings.from(config).virtualLanes(), pathMtu);
  }

  /** The same on another switch. */
  NodeSpec withSwitch(ActorRef<SwitchActor.Command> other) {
    return new NodeSpec(fabric, directory, groups, other, hardwareDispatcher, onHardwareThread, contexts, roles, hca, cm, virtualLanes,
        pathMtuMaxBytes);
  }

  /** Where roles run. */
  @FunctionalInterface
  public interface RoleDispatchers {
    Props props(RoleContext context);
  }

  /** The same with other contexts: those of one host. */
  NodeSpec withContexts(ReceiveContexts hostContexts, RoleDispatchers hostRoles) {
    return new NodeSpec(fabric, directory, groups, leafSwitch, hardwareDispatcher, onHardwareThread, hostContexts, hostRoles, hca, cm,
        virtualLanes, pathMtuMaxBytes);
  }
}
