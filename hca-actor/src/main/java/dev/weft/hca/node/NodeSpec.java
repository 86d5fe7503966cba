package dev.weft.hca.node;

import akka.actor.typed.ActorRef;
import akka.actor.typed.DispatcherSelector;
import com.typesafe.config.Config;
import dev.weft.fabric.node.Directory;
import dev.weft.fabric.node.MulticastGroups;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.fabric.switching.SwitchSettings;
import dev.weft.fabric.time.FabricContext;
import dev.weft.hca.HcaSettings;
import dev.weft.hca.cm.CmSettings;
import java.util.concurrent.Executor;
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
 * @param processExecutor runs completion handlers in PROCESS context
 * @param taskQueueExecutor runs completion handlers in TASK_QUEUE context
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
    Executor processExecutor,
    Executor taskQueueExecutor,
    HcaSettings hca,
    CmSettings cm,
    int virtualLanes,
    int pathMtuMaxBytes) {

  /** Reads the settings from {@code config}. */
  public static NodeSpec of(Config config, FabricContext fabric, Directory directory, MulticastGroups groups,
      ActorRef<SwitchActor.Command> leafSwitch, DispatcherSelector dispatcher, BooleanSupplier onHardwareThread,
      Executor process, Executor taskQueue, int linkMtuMax) {
    HcaSettings hca = HcaSettings.from(config);
    int pathMtu = Integer.highestOneBit(Math.min(hca.pathMtuMaxBytes(), linkMtuMax));
    return new NodeSpec(fabric, directory, groups, leafSwitch, dispatcher, onHardwareThread, process, taskQueue, hca,
        CmSettings.from(config), SwitchSettings.from(config).virtualLanes(), pathMtu);
  }
}
