package dev.weft.tripwire.device;

import dev.weft.fabric.packet.Packet;
import dev.weft.tripwire.driver.ExportedAperture;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.MulticastApertures;
import dev.weft.tripwire.nic.NetworkAddress;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The multicast apertures of a NIC. */
final class SwitchedApertures implements MulticastApertures {
  private final NicDevice nic;

  SwitchedApertures(NicDevice nic) {
    this.nic = nic;
  }

  @Override
  public CompletionStage<Descriptor> open(long length) {
    if (length < 1 || length > NetworkAddress.OFFSET_LIMIT) {
      throw new NicException(Status.INVALID, "a multicast aperture of " + length + " bytes");
    }
    CompletableFuture<Descriptor> opened = new CompletableFuture<>();
    nic.control(() -> {
      int id = nic.node().context().random().nextInt();
      long key = nic.node().context().random().nextLong();
      nic.host().groups().join(Multicast.name(id), nic.port(), false,
          answer -> nic.actor().tell(new NicActor.GroupOpened(id, key, length, answer, opened)));
      return null;
    });
    return opened;
  }

  void onOpened(NicActor.GroupOpened to) {
    complete(to.opened(), to.answer().refusal(), () -> {
      Descriptor group = Descriptor.of(to.answer().lid(), to.id(), to.length(), Rights.WRITE, to.key());
      nic.core().multicast.opened(group);
      return group;
    });
  }

  @Override
  public void close(Descriptor group) {
    nic.control(() -> {
      nic.core().multicast.close(group);
      return null;
    });
  }

  @Override
  public CompletionStage<LocalAperture> join(Descriptor group, MemorySegment segment) {
    CompletableFuture<LocalAperture> joined = new CompletableFuture<>();
    nic.control(() -> {
      Multicast multicast = nic.core().multicast;
      if (!Packet.isMulticast(group.lid()) || segment.byteSize() != group.length() || multicast.isMember(group)) {
        throw new NicException(Status.INVALID, segment.byteSize() + " bytes cannot join " + group
            + (multicast.isMember(group) ? ", of which this NIC is a member" : ""));
      }
      ExportedAperture aperture = nic.core().tables.export(segment);
      multicast.join(group, aperture);
      nic.host().groups().join(Multicast.name(group.aperture()), nic.port(), true,
          answer -> nic.actor().tell(new NicActor.GroupJoined(group, aperture, answer, joined)));
      return null;
    });
    return joined;
  }

  void onJoined(NicActor.GroupJoined to) {
    String refusal = to.answer().refusal();
    boolean isAnother = refusal == null && to.answer().lid() != to.group().lid();
    if (isAnother) {
      nic.core().revoke(to.aperture());
    } else if (refusal != null) {
      nic.core().multicast.forget(to.aperture());
      nic.core().revoke(to.aperture());
    }
    complete(to.joined(), isAnother ? "it was closed" : refusal, to::aperture);
  }

  private static <T> void complete(CompletableFuture<T> future, String refusal, Supplier<T> result) {
    if (refusal == null) {
      future.complete(result.get());
    } else {
      future.completeExceptionally(new NicException(Status.EXHAUSTED, "multicast aperture: " + refusal));
    }
  }
}
