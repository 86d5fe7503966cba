package dev.weft.cluster;

import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * A JVM with one node that has a NIC. Who sends the descriptor of some memory to port {@link #PORT} gets that of an aperture of {@link
 * #MEMORY_BYTES}. What is then written to its word {@link #CALL} comes back to word 0 of that memory from the Tripwire's handler, and word
 * 8 there is how often a Tripwire on the bytes from {@link #BUFFER} on has fired. A message that begins with {@link #RENEW} makes it
 * close its NIC and start another. Arguments: media driver directory, seed, node name.
 */
public final class NicPeerMain {
  static final int MEMORY_BYTES = 1 << 20;
  static final int PORT = 7;
  static final byte RENEW = 1;
  /** Offsets in the memory. */
  static final long CALL = 0;
  static final long BUFFER = 4096;

  private final Node node;
  private final ClusterFabric fabric;
  private Nic nic;
  private Endpoint endpoint;

  private NicPeerMain(ClusterFabric fabric, String name) {
    this.fabric = fabric;
    node = fabric.addNode(name);
    open();
  }

  public static void main(String[] arguments) throws Exception {
    NicPeerMain peer = new NicPeerMain(PeerMain.join(Path.of(arguments[0]), List.of(arguments[1])), arguments[2]);
    Thread.ofPlatform().daemon().start(peer::serve);
    System.out.println("ready");
    while (System.in.read() >= 0) {
      Thread.onSpinWait();
    }
    peer.fabric.close();
    System.exit(0);
  }

  private void open() {
    nic = NicDevice.start(fabric, node);
    endpoint = nic.endpoint(PORT);
  }

  private void serve() {
    try {
      while (true) {
        Endpoint.Message message = endpoint.poll();
        if (message == null) {
          Thread.sleep(1);
        } else if (message.bytes()[0] == RENEW) {
          nic.close();
          open();
        } else {
          answer(message);
        }
      }
    } catch (InterruptedException | IOException | NicException e) {
      System.err.println("the peer's service has ended: " + e);
    }
  }

  private void answer(Endpoint.Message message) throws IOException {
    MemorySegment memory = Arena.global().allocate(MEMORY_BYTES, 4096);
    LocalAperture aperture = nic.export(memory);
    RemoteAperture back = nic.map(Descriptor.fromBytes(message.bytes(), 0));
    Tripwire call = nic.tripwire().set(aperture, Watch.WRITE, CALL, Long.BYTES, false);
    call.onFired((tripwire, firings) -> back.writeLong(0, memory.get(ValueLayout.JAVA_LONG, CALL)), ReceiveContext.ISR);
    Tripwire buffer = nic.tripwire().set(aperture, Watch.WRITE, BUFFER, MEMORY_BYTES - BUFFER, false);
    buffer.onFired((tripwire, firings) -> back.writeLong(8, tripwire.counted()), ReceiveContext.ISR);
    call.arm();
    buffer.arm();
    byte[] cookie = Arrays.copyOf(aperture.descriptor(Rights.ALL).toBytes(), Endpoint.MESSAGE_LENGTH);
    endpoint.send(message.fromLid(), message.fromPort(), cookie);
  }
}
