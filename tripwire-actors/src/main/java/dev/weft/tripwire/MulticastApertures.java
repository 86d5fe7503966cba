package dev.weft.tripwire;

import dev.weft.fabric.packet.Packet;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Apertures whose writes the switch delivers to several hosts (CLAN, section 2.5), as a NIC's applications see them. A holder of the descriptor may
 * {@link #join} the aperture, and {@link Nic#map} it. A store or DMA request through the mapping is placed in every member's memory, in the order of
 * each sender, and passes each cable once. There are no reads. Any thread.
 */
public final class MulticastApertures {
  private final Nic nic;

  MulticastApertures(Nic nic) {
    this.nic = nic;
  }

  /**
   * Makes a new aperture of {@code length} bytes, without members. It exists until {@link #close} is called and the last member has left.
   *
   * @return completed on the hardware thread, with a {@link NicException} if the fabric refuses
   */
  public CompletionStage<Descriptor> open(long length) {
    if (length < 1 || length > NetworkAddress.OFFSET_LIMIT) {
      throw new NicException(Status.INVALID, "a multicast aperture of " + length + " bytes");
    }
    CompletableFuture<Descriptor> opened = new CompletableFuture<>();
    nic.control(() -> {
      int id = nic.node().context().random().nextInt();
      long key = nic.node().context().random().nextLong();
      nic.host().groups().join(Multicast.name(id), nic.port(), false, answer -> later(() -> complete(opened, answer.refusal(), () -> {
        Descriptor group = Descriptor.of(answer.lid(), id, length, Rights.WRITE, key);
        nic.core().multicast.opened(group);
        return group;
      })));
      return null;
    });
    return opened;
  }

  /** Ends {@link #open}; no effect on other NICs than that of the opener. */
  public void close(Descriptor group) {
    nic.control(() -> {
      nic.core().multicast.close(group);
      return null;
    });
  }

  /**
   * Makes memory of this host a member; revoking the returned aperture ends the membership. Every write that begins after the completion is placed
   * here; an earlier one may be placed in part. A NIC can be a member only once.
   *
   * @param segment as long as the multicast aperture
   * @return completed on the hardware thread, with a {@link NicException} if the aperture was closed or the fabric refuses
   */
  public CompletionStage<LocalAperture> join(Descriptor group, MemorySegment segment) {
    CompletableFuture<LocalAperture> joined = new CompletableFuture<>();
    nic.control(() -> {
      Multicast multicast = nic.core().multicast;
      if (!Packet.isMulticast(group.lid()) || segment.byteSize() != group.length() || multicast.isMember(group)) {
        throw new NicException(Status.INVALID, segment.byteSize() + " bytes cannot join " + group
            + (multicast.isMember(group) ? ", of which this NIC is a member" : ""));
      }
      LocalAperture aperture = nic.core().tables.export(segment);
      multicast.join(group, aperture);
      nic.host().groups().join(Multicast.name(group.aperture()), nic.port(), true, answer -> later(() -> {
        boolean isAnother = answer.refusal() == null && answer.lid() != group.lid();
        if (isAnother) {
          nic.core().revoke(aperture);
        } else if (answer.refusal() != null) {
          multicast.forget(aperture);
          nic.core().revoke(aperture);
        }
        complete(joined, isAnother ? "it was closed" : answer.refusal(), () -> aperture);
      }));
      return null;
    });
    return joined;
  }

  private void later(Runnable call) {
    nic.actor().tell(new NicActor.Control(call));
  }

  private static <T> void complete(CompletableFuture<T> future, String refusal, Supplier<T> result) {
    if (refusal == null) {
      future.complete(result.get());
    } else {
      future.completeExceptionally(new NicException(Status.EXHAUSTED, "multicast aperture: " + refusal));
    }
  }
}
