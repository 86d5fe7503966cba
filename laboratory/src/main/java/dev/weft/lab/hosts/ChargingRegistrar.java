package dev.weft.lab.hosts;

import dev.weft.hca.registration.RegisteredMemory;
import dev.weft.hca.registration.Registrar;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Charges what a hardware profile says that registration costs, in virtual time. Give it {@link
 * dev.weft.lab.hosts.VirtualHost#charge} to lengthen the handler that registers, or gather the nanoseconds and {@code compute} them
 * where what comes next has to wait for them.
 */
public class ChargingRegistrar implements Registrar {
  private final Registrar registrar;
  private final MemoryCosts costs;
  private final LongConsumer charge;

  /**
   * Charges for what {@code registrar} does.
   *
   * @param charge takes nanoseconds of the calling process, after each operation that succeeded
   */
  public ChargingRegistrar(Registrar registrar, MemoryCosts costs, LongConsumer charge) {
    this.registrar = registrar;
    this.costs = costs;
    this.charge = charge;
  }

  /** Charges for the entry of a table only, as for a region without pages. */
  @Override
  public Registrar unpinned() {
    return new ChargingRegistrar(registrar.unpinned(), costs, charge) {
      @Override
      long bytes(MemorySegment memory) {
        return 0;
      }
    };
  }

  long bytes(MemorySegment memory) {
    return memory.byteSize();
  }

  @Override
  public RegisteredMemory register(MemorySegment memory, int access, boolean fast) {
    RegisteredMemory registered = registrar.register(memory, access, fast);
    long bytes = bytes(memory);
    charge.accept(fast ? costs.fastRegistrationNs(bytes) : costs.registrationNs(bytes));
    return registered;
  }

  @Override
  public void deregister(RegisteredMemory registered, long lengthBytes) {
    registrar.deregister(registered, lengthBytes);
    charge.accept(costs.deregistrationNs(lengthBytes));
  }

  @Override
  public void deregisterAll(List<RegisteredMemory> registered, List<Long> lengthsBytes) {
    registrar.deregisterAll(registered, lengthsBytes);
    long ns = 0;
    for (long bytes : lengthsBytes) {
      ns += costs.batchDeregistrationNs(bytes);
    }
    charge.accept(ns);
  }
}
