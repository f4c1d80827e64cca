using System;
using System.Collections.Generic;

namespace Shop.Orders
{
    /// <summary>
    /// Takes orders.
    /// </summary>
    [Serializable]
    public sealed class OrderService<T> : ServiceBase, IOrders where T : Order
    {
        public const int Limit = 10;
        private readonly Dictionary<string, T> _orders = new();

        public string Name { get; private set; }

        public int Count => _orders.Count;

        public OrderService(IStore store) : base(store)
        {
        }

        /// <summary>Places one.</summary>
        /// <param name="order">What.</param>
        [Obsolete("x")]
        public async Task<Receipt> PlaceAsync(T order, CancellationToken token = default)
        {
            Check(order);
            int Twice(int n) => n * 2;
            var receipt = new Receipt(Twice(1));
            await Store.SaveAsync<Receipt>(receipt);
            return receipt;
        }

        private static void Check(Order order) => Guard.NotNull(order);
    }

    public interface IOrders
    {
        Task<Receipt> PlaceAsync(Order order);
    }

    public record Receipt(int Number);

    public struct Money { public decimal Amount; }

    enum Mode { Fast, Slow }

    public delegate void Placed(Order order);
}
