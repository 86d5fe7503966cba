package dev.weft.hca.node;

import akka.actor.typed.ActorRef;
import com.typesafe.config.Config;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.node.Directory;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A fabric, as devices other than HCAs see it: a host may have several, each with a cable to the leaf switch and a LID of its own.
 * Any thread.
 */
public interface DeviceHost {
  /**
   * Attaches a device. It is told {@link dev.weft.fabric.switching.SwitchActor.AttachReply}, then {@code LinkState(true, lid)} and
   * credits; where the LID comes later, {@link #attached} must be called with the port number of the reply.
   *
   * @param name of the device in the directory, unique in the fabric, for example {@code client/nic}
   * @param laid called on the hardware thread with what the device transmits on, before it is told anything
   */
  void attachDevice(String name, ActorRef<HardwareMessage> device, Consumer<Cable> laid);

  /** The device has got a port of the switch. */
  default void attached(String name, int portNumber, ActorRef<HardwareMessage> device) {}

  /**
   * Takes a device off the fabric: others learn that it is gone, and it is told {@code LinkState(false, lid)} after the last packet that
   * comes to it.
   *
   * @param portNumber of the switch's reply, 0 if there was none yet
   */
  void detachDevice(String name, int portNumber);

  /** Who is on the fabric, devices included. */
  Directory directory();

  Config config();

  /** Whether the calling thread runs the hardware actors now. */
  boolean isHardwareThread();

  /**
   * Waits without giving up the processor if it can: runs hardware actors while nobody else does. Not on the hardware thread, and not
   * in virtual time, where a thread that waits hands over the baton.
   *
   * @param until cheap; read on several threads
   * @return whether {@code until} holds; false after {@code maxNs} nanoseconds
   */
  boolean help(BooleanSupplier until, long maxNs);
}
