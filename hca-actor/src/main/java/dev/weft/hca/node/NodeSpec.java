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
 * The settings and services that all nodes of one JVM share.
 *
 * @param fabric clock, timers, randomness
 * @param directory the nodes of the fabric
 * @param groups multicast groups of the fabric
 * @param leafSwitch the switch that nodes are connected to
 * @param hardwareDispatcher the dispatcher of hardware actors
 * @param onHardwareThread whether the calling thread is running the hardware actors
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

  /** Returns a copy with another switch. */
  NodeSpec withSwitch(ActorRef<SwitchActor.Command> other) {
    return new NodeSpec(fabric, directory, groups, other, hardwareDispatcher, onHardwareThread, contexts, roles, hca, cm, virtualLanes,
        pathMtuMaxBytes);
  }

  /** Chooses the dispatcher of each role. */
  @FunctionalInterface
  public interface RoleDispatchers {
    Props props(RoleContext context);
  }

  /** Returns a copy with the contexts of one host. */
  NodeSpec withContexts(ReceiveContexts hostContexts, RoleDispatchers hostRoles) {
    return new NodeSpec(fabric, directory, groups, leafSwitch, hardwareDispatcher, onHardwareThread, hostContexts, hostRoles, hca, cm,
        virtualLanes, pathMtuMaxBytes);
  }
}
