package dev.weft.hca.node;

import akka.actor.typed.ActorRef;
import com.typesafe.config.Config;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.node.Directory;
import dev.weft.fabric.node.MulticastGroups;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A fabric as seen by devices other than HCAs. A host may have several such devices, each with its own cable to the leaf switch and its own LID.
 * Any thread.
 */
public interface DeviceHost {
  /**
   * Attaches a device. The device receives {@link dev.weft.fabric.switching.SwitchActor.AttachReply}, then {@code LinkState(true, lid)} and
   * credits. If the LID comes later, the caller must call {@link #attached} with the port number of the reply.
   *
   * @param name name of the device in the directory, unique in the fabric, for example {@code client/nic}
   * @param laid called on the hardware thread with the cable on which the device transmits, before the device receives any message
   */
  void attachDevice(String name, ActorRef<HardwareMessage> device, Consumer<Cable> laid);

  /** Reports that the device has received a port of the switch. */
  default void attached(String name, int portNumber, ActorRef<HardwareMessage> device) {}

  /**
   * Removes a device from the fabric and from the directory. The device receives {@code LinkState(false, lid)} after its last packet.
   *
   * @param portNumber port number of the switch's reply; 0 without a reply yet
   */
  void detachDevice(String name, int portNumber);

  /** The nodes and devices of the fabric. */
  Directory directory();

  /** The multicast groups; a device joins with the port number of its attachment. */
  MulticastGroups groups();

  Config config();

  /** Whether the calling thread is running the hardware actors. */
  boolean isHardwareThread();

  /**
   * Waits and runs the hardware actors while no other thread does, so that it need not give up the processor. Not on the hardware thread, and not in
   * virtual time, where a waiting thread passes on the baton.
   *
   * @param until cheap; several threads call it
   * @return whether {@code until} holds; false after {@code maxNs} nanoseconds
   */
  boolean help(BooleanSupplier until, long maxNs);
}
